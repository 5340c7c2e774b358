/** The keyed backend and its five kinds of state, row by row over the native store. */
package io.streamfusion.state.memory.keyed;
