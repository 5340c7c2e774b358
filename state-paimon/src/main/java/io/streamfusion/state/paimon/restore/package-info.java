/** How a keyed backend gets its state back from the data files of a table. */
package io.streamfusion.state.paimon.restore;
