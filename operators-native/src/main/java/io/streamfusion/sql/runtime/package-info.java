/** Flink operators that run native plans, and the batches that they pass to each other. */
package io.streamfusion.sql.runtime;
