package io.streamfusion.sql.connector;

import static org.assertj.core.api.Assertions.assertThat;

import io.streamfusion.ffi.NativeBatch;
import io.streamfusion.sql.edge.RowBatcher;
import io.streamfusion.sql.plan.BatchSettings;
import io.streamfusion.sql.runtime.BatchMemory;
import io.streamfusion.sql.runtime.NativeBatchRecord;
import io.streamfusion.state.memory.testing.NoNativeLeaks;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.apache.flink.api.common.eventtime.NoWatermarksGenerator;
import org.apache.flink.api.common.eventtime.Watermark;
import org.apache.flink.api.common.eventtime.WatermarkGenerator;
import org.apache.flink.api.common.eventtime.WatermarkGeneratorSupplier;
import org.apache.flink.api.common.eventtime.WatermarkOutput;
import org.apache.flink.api.common.eventtime.WatermarkStrategy;
import org.apache.flink.metrics.MetricGroup;
import org.apache.flink.metrics.groups.UnregisteredMetricsGroup;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.types.logical.RowType;
import org.apache.flink.util.InstantiationUtil;
import org.apache.flink.util.clock.ManualClock;
import org.apache.flink.util.clock.RelativeClock;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Watermarks of batches behave as those of the strategy in whose place they are. */
@ExtendWith(NoNativeLeaks.class)
class NativeWatermarksTest {
    private static final WatermarkStrategy<RowData> PLAIN =
            WatermarkStrategy.forGenerator(context -> new NoWatermarksGenerator<>());

    private final ManualClock clock = new ManualClock(1_000_000);
    private final Output output = new Output();

    @Test
    void theGreatestWatermarkIsEmittedPeriodically() throws Exception {
        WatermarkGenerator<Object> generator = generator(PLAIN);
        generator.onPeriodicEmit(output);
        event(generator, 5);
        event(generator, 3);
        assertThat(output.events).containsExactly("" + Long.MIN_VALUE);
        generator.onPeriodicEmit(output);
        assertThat(output.events).containsExactly("" + Long.MIN_VALUE, "5");
    }

    @Test
    void idlenessIsThatOfTheStrategy() throws Exception {
        WatermarkGenerator<Object> generator =
                generator(
                        PLAIN.withWatermarkAlignment("group", Duration.ofSeconds(1))
                                .withIdleness(Duration.ofMillis(100)));
        event(generator, 5);
        generator.onPeriodicEmit(output);
        generator.onPeriodicEmit(output);
        clock.advanceTime(Duration.ofMillis(101));
        generator.onPeriodicEmit(output);
        assertThat(output.events).containsExactly("5", "5", "idle");
    }

    @Test
    void alignmentIsThatOfTheStrategy() {
        var stock =
                PLAIN.withWatermarkAlignment("group", Duration.ofSeconds(3), Duration.ofSeconds(2))
                        .withIdleness(Duration.ofMillis(100));
        assertThat(NativeWatermarks.wrap(stock).getAlignmentParameters())
                .usingRecursiveComparison()
                .isEqualTo(stock.getAlignmentParameters());
        assertThat(NativeWatermarks.wrap(PLAIN).getAlignmentParameters().isEnabled()).isFalse();
    }

    private static void event(WatermarkGenerator<Object> generator, long watermark) {
        try (BatchMemory memory = BatchMemory.open(BatchSettings.defaults());
                RowBatcher batcher = new RowBatcher(memory.budget(), RowType.of(), "test");
                NativeBatch batch = batcher.take()) {
            generator.onEvent(NativeBatchRecord.lend(batch, watermark), 0, new Output());
        }
    }

    private WatermarkGenerator<Object> generator(WatermarkStrategy<RowData> stock)
            throws Exception {
        // It travels with the job.
        return InstantiationUtil.clone(NativeWatermarks.wrap(stock))
                .createWatermarkGenerator(
                        new WatermarkGeneratorSupplier.Context() {
                            @Override
                            public MetricGroup getMetricGroup() {
                                return new UnregisteredMetricsGroup();
                            }

                            @Override
                            public RelativeClock getInputActivityClock() {
                                return clock;
                            }
                        });
    }

    private static final class Output implements WatermarkOutput {
        private final List<String> events = new ArrayList<>();

        @Override
        public void emitWatermark(Watermark watermark) {
            events.add(Long.toString(watermark.getTimestamp()));
        }

        @Override
        public void markIdle() {
            events.add("idle");
        }

        @Override
        public void markActive() {
            events.add("active");
        }
    }
}
