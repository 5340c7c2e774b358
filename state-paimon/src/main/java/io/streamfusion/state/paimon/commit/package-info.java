/** How a checkpoint becomes a snapshot of a table in Flink's checkpoint storage. */
package io.streamfusion.state.paimon.commit;
