/**
 * The Nexmark event stream as a pure function of (settings, event number), and its JSON form.
 *
 * <p>Nothing here depends on Flink. The same number gives the same bytes on every JVM and in every
 * order of asking, so ranges may be produced by different subtasks.
 */
package io.streamfusion.nexmark.generator;
