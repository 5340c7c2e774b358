/** The Flink catalog {@code streamfusion-state}: the state of a checkpoint as SQL tables. */
package io.streamfusion.state.paimon.catalog;
