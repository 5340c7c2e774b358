/** Runs the benchmarks of one result file: rounds, cases and backends, one fork each. */
package io.streamfusion.jmh.runner;
