/** Reads a result file and writes its ratios as Markdown. */
package io.streamfusion.jmh.report;
