/** The table of a keyed backend: its columns, its schema, and the metadata of its snapshots. */
package io.streamfusion.state.paimon.table;
