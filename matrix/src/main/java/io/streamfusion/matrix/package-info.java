/** Nexmark from Kafka to Kafka on real clusters: two backends side by side, outputs compared. */
package io.streamfusion.matrix;
