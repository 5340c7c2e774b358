/** Sources and sinks of Flink's connectors with native formats. */
package io.streamfusion.sql.connector;
