/**
 * Benchmarks of state backends through Flink's own state API.
 *
 * <p>{@code state} holds the JMH classes, {@code runner} forks them backend by backend and keeps
 * every sample, {@code report} turns one result file into tables.
 */
package io.streamfusion.jmh;
