/** For programs that embed Flink. */
package io.streamfusion.sql;
