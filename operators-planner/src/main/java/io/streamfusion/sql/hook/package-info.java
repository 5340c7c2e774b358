/**
 * The way into Flink's planner. Compiled for Java 11, so that an older JVM gets stock Flink and a
 * word in the log instead of an error.
 */
package io.streamfusion.sql.hook;
