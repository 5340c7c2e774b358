/** What a backend shows of its store. */
package io.streamfusion.state.memory.metrics;
