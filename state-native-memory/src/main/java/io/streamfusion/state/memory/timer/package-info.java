/** Timers and other priority queues in the native store. */
package io.streamfusion.state.memory.timer;
