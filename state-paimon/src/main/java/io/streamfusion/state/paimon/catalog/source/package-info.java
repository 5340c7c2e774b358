/** Reads the rows of a state from its tables. */
package io.streamfusion.state.paimon.catalog.source;
