/**
 * The state backend {@code streamfusion-paimon}: native state whose checkpoints are Paimon tables.
 */
package io.streamfusion.state.paimon;
