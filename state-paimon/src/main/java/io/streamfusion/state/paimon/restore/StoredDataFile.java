package io.streamfusion.state.paimon.restore;

import io.streamfusion.state.paimon.table.TableFile;
import org.apache.flink.runtime.state.StreamStateHandle;

/**
 * A data file of a checkpoint and where to read it.
 *
 * @param number its number in the native store
 * @param table its description
 * @param handle the file to read
 */
record StoredDataFile(long number, TableFile table, StreamStateHandle handle) {}
