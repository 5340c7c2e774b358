/**
 * Flink clusters of real processes on this machine, seen through REST: for the end-to-end tests and
 * the benchmarks that run on them.
 */
package io.streamfusion.cluster;
