package io.streamfusion.state.paimon.table;

/**
 * The file with the deletion vectors of a bucket.
 *
 * @param bucket its bucket
 * @param name its name, without a folder
 * @param bytes its length
 */
public record TableIndex(int bucket, String name, long bytes) {}
