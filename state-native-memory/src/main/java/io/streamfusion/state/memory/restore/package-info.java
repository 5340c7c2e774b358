/**
 * How a keyed backend gets its state back: from segment files of its own kind, or row by row from a
 * canonical savepoint of any backend.
 */
package io.streamfusion.state.memory.restore;
