/**
 * Flink table connectors: {@code streamfusion-nexmark}, the event stream as a checkpointed source
 * of any parallelism, and {@code streamfusion-nexmark-side-input}, the lookup table of q13.
 */
package io.streamfusion.nexmark.connector;
