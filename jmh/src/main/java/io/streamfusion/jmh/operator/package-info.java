/** JMH benchmarks of SQL operators: as the planner makes them, in Flink's operator harness. */
package io.streamfusion.jmh.operator;
