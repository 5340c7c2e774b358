package io.streamfusion.state.memory.snapshot;

import static org.assertj.core.api.Assertions.assertThat;

import org.apache.flink.metrics.Gauge;
import org.apache.flink.metrics.testutils.MetricListener;
import org.junit.jupiter.api.Test;

class SnapshotMetricsTest {
    private final MetricListener listener = new MetricListener();
    private final SnapshotMetrics metrics = new SnapshotMetrics();

    @Test
    void showsTheLastSnapshot() {
        metrics.register(listener.getMetricGroup());
        metrics.syncPart(3_999);
        metrics.written(7_000_000, 10, 100, 4);
        metrics.syncPart(5_000);
        metrics.failed();

        assertThat(gauge("snapshotCount")).isEqualTo(1L);
        assertThat(gauge("snapshotFailureCount")).isEqualTo(1L);
        assertThat(gauge("lastSnapshotSyncMicros")).isEqualTo(5L);
        assertThat(gauge("lastSnapshotAsyncMillis")).isEqualTo(7L);
        assertThat(gauge("lastSnapshotBytesWritten")).isEqualTo(10L);
        assertThat(gauge("lastSnapshotBytesTotal")).isEqualTo(100L);
        assertThat(gauge("lastSnapshotSegments")).isEqualTo(4L);
    }

    private Long gauge(String name) {
        Gauge<Long> gauge = listener.<Long>getGauge(name).orElseThrow();
        return gauge.getValue();
    }
}
