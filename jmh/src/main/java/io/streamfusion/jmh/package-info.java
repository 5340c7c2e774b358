/**
 * Benchmarks of state backends through Flink's own state API, and of SQL operators.
 *
 * <p>{@code state} and {@code operator} hold the JMH classes, {@code runner} forks them backend by
 * backend and keeps every sample, {@code report} turns one result file into tables.
 */
package io.streamfusion.jmh;
