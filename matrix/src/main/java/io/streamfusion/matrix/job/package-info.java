/** One side of a comparison: a Flink cluster, the jobs on it, and what they cost. */
package io.streamfusion.matrix.job;
