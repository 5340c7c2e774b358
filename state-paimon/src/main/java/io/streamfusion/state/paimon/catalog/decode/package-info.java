/** How the bytes of state become values of SQL. */
package io.streamfusion.state.paimon.catalog.decode;
