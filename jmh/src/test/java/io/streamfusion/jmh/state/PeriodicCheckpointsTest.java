package io.streamfusion.jmh.state;

import static org.assertj.core.api.Assertions.assertThat;

import org.apache.flink.api.common.state.ValueState;
import org.apache.flink.table.data.RowData;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(60)
class PeriodicCheckpointsTest {
    @ParameterizedTest
    @ValueSource(strings = {"rocksdb", "streamfusion-memory", "streamfusion-paimon"})
    void checkpointsGoOnBetweenOperations(String backend) throws Exception {
        try (BenchBackend fixture = BenchBackend.open(backend);
                PeriodicCheckpoints checkpoints = new PeriodicCheckpoints(fixture, 1)) {
            ValueState<RowData> state = fixture.state(ValueStateBench.descriptor());
            long index = 0;
            while (checkpoints.totals().completed() < 5) {
                checkpoints.runMail();
                fixture.keyed().setCurrentKey(BenchRows.key(index % 100));
                state.update(BenchRows.row(0, index));
                index++;
            }

            PeriodicCheckpoints.Totals totals = checkpoints.totals();
            assertThat(totals.syncNanos()).isPositive();
            assertThat(totals.asyncNanos()).isPositive();
            assertThat(totals.minus(totals).completed()).isZero();
        }
    }
}
