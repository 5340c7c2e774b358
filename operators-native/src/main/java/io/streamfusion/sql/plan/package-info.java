/** How plans are written for the native side, and what a user may set. */
package io.streamfusion.sql.plan;
