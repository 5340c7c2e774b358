/** Batches on their way to operators with keys, of other tasks. */
package io.streamfusion.sql.exchange;
