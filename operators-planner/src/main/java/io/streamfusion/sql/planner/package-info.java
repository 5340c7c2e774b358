/**
 * Chooses what of a translated plan runs natively. Loaded beside Flink's planner, by a class loader
 * of its own.
 */
package io.streamfusion.sql.planner;
