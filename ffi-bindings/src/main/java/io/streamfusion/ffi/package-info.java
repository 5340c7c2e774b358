/**
 * The one door between Java and the Rust core: generated bindings and the hand-written layer above
 * them.
 */
package io.streamfusion.ffi;
