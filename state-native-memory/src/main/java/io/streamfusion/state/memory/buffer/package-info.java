/** Reused heap arrays that are handed to critical native calls. */
package io.streamfusion.state.memory.buffer;
