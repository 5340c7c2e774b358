/** Samples in a file as they are made, and the result of a whole run. */
package io.streamfusion.matrix.result;
