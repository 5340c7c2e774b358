package io.streamfusion.state.memory.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import io.streamfusion.state.memory.testing.NoNativeLeaks;
import io.streamfusion.state.memory.testing.TestSlot;
import io.streamfusion.state.memory.testing.TestedBackend;
import java.util.Map;
import java.util.TreeMap;
import org.apache.flink.api.common.state.ValueStateDescriptor;
import org.apache.flink.api.common.typeutils.base.LongSerializer;
import org.apache.flink.metrics.Gauge;
import org.apache.flink.metrics.MetricGroup;
import org.apache.flink.metrics.groups.UnregisteredMetricsGroup;
import org.apache.flink.runtime.state.AbstractKeyedStateBackend;
import org.apache.flink.runtime.state.VoidNamespace;
import org.apache.flink.runtime.state.VoidNamespaceSerializer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** The gauges of a backend follow its store and outlive it. */
@ExtendWith(NoNativeLeaks.class)
public class StoreMetricsTest implements TestedBackend {
    private static final long MANAGED = 16 << 20;
    private static final int ROWS = 3000;

    private final Map<String, Gauge<?>> gauges = new TreeMap<>();
    private final MetricGroup group =
            new UnregisteredMetricsGroup() {
                @Override
                public <T, G extends Gauge<T>> G gauge(String name, G gauge) {
                    gauges.put(name, gauge);
                    return gauge;
                }

                @Override
                public MetricGroup addGroup(String name) {
                    assertThat(name).isEqualTo("streamfusion");
                    return this;
                }
            };

    @Test
    void followTheStore() throws Exception {
        try (TestSlot slot = new TestSlot(MANAGED).withMetrics(group)) {
            AbstractKeyedStateBackend<Long> backend =
                    slot.open(backend(true), LongSerializer.INSTANCE);
            assertThat(value("memoryBudgetBytes")).isEqualTo(MANAGED);
            assertThat(value("entries")).isZero();
            for (long key = 0; key < ROWS; key++) {
                backend.setCurrentKey(key);
                backend.getPartitionedState(
                                VoidNamespace.INSTANCE,
                                VoidNamespaceSerializer.INSTANCE,
                                new ValueStateDescriptor<>("v", LongSerializer.INSTANCE))
                        .update(key);
            }
            slot.checkpoint(backend, 1);

            assertThat(value("entries")).isEqualTo(ROWS);
            assertThat(value("entryBytes")).isGreaterThan(ROWS * 17L);
            assertThat(value("memoryUsedBytes")).isBetween(value("entryBytes"), MANAGED);
            assertThat(value("allocatedBytes")).isEqualTo(value("memoryUsedBytes"));
            assertThat(value("lastSnapshotBytesWritten")).isPositive();
            assertThat(value("timers")).isZero();
        }
        assertThat(value("entries")).isZero();
        assertThat(value("memoryUsedBytes")).isZero();
    }

    private long value(String name) {
        return ((Number) gauges.get(name).getValue()).longValue();
    }
}
