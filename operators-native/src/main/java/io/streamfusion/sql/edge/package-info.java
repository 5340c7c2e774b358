/** Between rows and batches. */
package io.streamfusion.sql.edge;
