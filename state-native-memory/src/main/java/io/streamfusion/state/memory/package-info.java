/** The state backend {@code streamfusion-memory}: Flink keyed state in the native store. */
package io.streamfusion.state.memory;
