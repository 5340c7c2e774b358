/** Outputs as multisets of rows, and whether two of them are the same. */
package io.streamfusion.matrix.verify;
