/** Where rows go that do not fit the memory budget. */
package io.streamfusion.state.paimon.spill;
