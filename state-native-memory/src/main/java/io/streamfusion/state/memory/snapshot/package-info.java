/**
 * How the state of a keyed backend becomes files: incremental and full checkpoints as segment files
 * with a manifest, canonical savepoints as rows.
 */
package io.streamfusion.state.memory.snapshot;
