package io.streamfusion.sql.connector;

import io.streamfusion.sql.runtime.NativeBatchRecord;
import io.streamfusion.sql.runtime.PrivateFields;
import java.time.Duration;
import org.apache.flink.api.common.eventtime.Watermark;
import org.apache.flink.api.common.eventtime.WatermarkAlignmentParams;
import org.apache.flink.api.common.eventtime.WatermarkGenerator;
import org.apache.flink.api.common.eventtime.WatermarkOutput;
import org.apache.flink.api.common.eventtime.WatermarkStrategy;
import org.apache.flink.table.data.RowData;

/** Watermarks of batches. */
public final class NativeWatermarks {
    private static final String IDLENESS =
            "org.apache.flink.api.common.eventtime.WatermarkStrategyWithIdleness";
    private static final String ALIGNMENT =
            "org.apache.flink.api.common.eventtime.WatermarksWithWatermarkAlignment";

    private NativeWatermarks() {}

    /**
     * The strategy for batches that does what a periodic strategy of the planner does for rows:
     * same idleness, same alignment. The batches know their greatest watermark, which is the {@code
     * watermark} of their reader's plan.
     */
    public static WatermarkStrategy<Object> wrap(WatermarkStrategy<RowData> stock) {
        WatermarkStrategy<Object> strategy =
                WatermarkStrategy.forGenerator(context -> new GreatestOfBatches());
        WatermarkAlignmentParams alignment = stock.getAlignmentParameters();
        if (alignment.isEnabled()) {
            strategy =
                    strategy.withWatermarkAlignment(
                            alignment.getWatermarkGroup(),
                            Duration.ofMillis(alignment.getMaxAllowedWatermarkDrift()),
                            Duration.ofMillis(alignment.getUpdateInterval()));
        }
        Duration idleness = idleness(stock);
        return idleness == null ? strategy : strategy.withIdleness(idleness);
    }

    /** The timeout that is somewhere in the layers of a strategy, null for none. */
    private static Duration idleness(Object strategy) {
        Object layer = strategy;
        while (true) {
            switch (layer.getClass().getName()) {
                case IDLENESS -> {
                    return (Duration) PrivateFields.get(layer, "idlenessTimeout");
                }
                case ALIGNMENT -> layer = PrivateFields.get(layer, "strategy");
                default -> {
                    return null;
                }
            }
        }
    }

    /** Emits periodically the greatest watermark that came. */
    private static final class GreatestOfBatches implements WatermarkGenerator<Object> {
        private long greatest = Long.MIN_VALUE;

        @Override
        public void onEvent(Object batch, long timestamp, WatermarkOutput output) {
            greatest = Math.max(greatest, ((NativeBatchRecord) batch).watermark());
        }

        @Override
        public void onPeriodicEmit(WatermarkOutput output) {
            output.emitWatermark(new Watermark(greatest));
        }
    }
}
