package io.streamfusion.state.paimon.spill;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.streamfusion.ffi.NativeException;
import io.streamfusion.state.memory.StreamFusionOptions;
import io.streamfusion.state.memory.testing.NoNativeLeaks;
import io.streamfusion.state.memory.testing.TestSlot;
import io.streamfusion.state.paimon.PaimonOptions;
import io.streamfusion.state.paimon.StreamFusionPaimonStateBackend;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.apache.flink.api.common.state.ValueState;
import org.apache.flink.api.common.state.ValueStateDescriptor;
import org.apache.flink.api.common.typeutils.base.LongSerializer;
import org.apache.flink.api.common.typeutils.base.StringSerializer;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.MemorySize;
import org.apache.flink.metrics.Gauge;
import org.apache.flink.metrics.MetricGroup;
import org.apache.flink.metrics.groups.UnregisteredMetricsGroup;
import org.apache.flink.runtime.state.AbstractKeyedStateBackend;
import org.apache.flink.runtime.state.BackendBuildingException;
import org.apache.flink.runtime.state.KeyGroupRange;
import org.apache.flink.runtime.state.KeyGroupRangeOffsets;
import org.apache.flink.runtime.state.KeyGroupsStateHandle;
import org.apache.flink.runtime.state.KeyedStateHandle;
import org.apache.flink.runtime.state.VoidNamespace;
import org.apache.flink.runtime.state.VoidNamespaceSerializer;
import org.apache.flink.runtime.state.memory.ByteStreamStateHandle;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** Where a backend's files are, and what happens when they cannot be. */
@ExtendWith(NoNativeLeaks.class)
class SpillDirectoryTest {
    private static final long MANAGED = 4 << 20;
    private static final String ROW = "x".repeat(1000);
    private static final int ROWS = 20_000;

    @TempDir Path directory;
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
                    return this;
                }
            };

    private static StreamFusionPaimonStateBackend backend(Configuration options) {
        return new StreamFusionPaimonStateBackend()
                .configure(options, SpillDirectoryTest.class.getClassLoader());
    }

    private static StreamFusionPaimonStateBackend backend(Path... directories) {
        return backend(
                new Configuration()
                        .set(
                                PaimonOptions.SPILL_DIRECTORIES,
                                Arrays.stream(directories).map(Path::toString).toList()));
    }

    private static List<Path> in(Path directory) throws IOException {
        try (Stream<Path> all = Files.list(directory)) {
            return all.sorted().toList();
        }
    }

    private static ValueState<String> state(AbstractKeyedStateBackend<Long> backend)
            throws Exception {
        return backend.getPartitionedState(
                VoidNamespace.INSTANCE,
                VoidNamespaceSerializer.INSTANCE,
                new ValueStateDescriptor<>("balances", StringSerializer.INSTANCE));
    }

    private static long fill(AbstractKeyedStateBackend<Long> backend, long[] written)
            throws Exception {
        ValueState<String> state = state(backend);
        for (long key = written[0]; key < ROWS; key++) {
            backend.setCurrentKey(key);
            state.update(ROW + key);
            written[0] = key + 1;
        }
        return written[0];
    }

    private static void assertFull(AbstractKeyedStateBackend<Long> backend, long rows)
            throws Exception {
        ValueState<String> state = state(backend);
        for (long key = 0; key < rows; key++) {
            backend.setCurrentKey(key);
            assertThat(state.value()).isEqualTo(ROW + key);
        }
    }

    private long gauge(String name) {
        return ((Number) gauges.get(name).getValue()).longValue();
    }

    @Test
    void eachBackendHasOneOfItsOwnInTurnAndRemovesIt() throws Exception {
        Path first = Files.createDirectory(directory.resolve("first"));
        Path second = directory.resolve("second/of them");
        try (TestSlot slot = new TestSlot(MANAGED)) {
            List<AbstractKeyedStateBackend<Long>> opened = new ArrayList<>();
            for (int i = 0; i < 4; i++) {
                opened.add(slot.open(backend(first, second), LongSerializer.INSTANCE));
            }
            assertThat(in(first)).hasSize(2);
            assertThat(in(second)).hasSize(2);
            opened.get(0).dispose();
            opened.get(1).dispose();
            assertThat(in(first)).hasSize(1);
            assertThat(in(second)).hasSize(1);
            opened.get(2).close();
            opened.get(3).close();
            assertThat(in(first)).isEmpty();
            assertThat(in(second)).isEmpty();
        }
    }

    @Test
    void byDefaultItIsAmongFlinksTemporaryOnes() throws Exception {
        try (TestSlot slot = new TestSlot(MANAGED)) {
            Path temporary =
                    Path.of(slot.environment().getIOManager().getSpillingDirectoriesPaths()[0]);
            AbstractKeyedStateBackend<Long> backend =
                    slot.open(backend(new Configuration()), LongSerializer.INSTANCE);
            assertThat(in(temporary)).hasSize(1);
            assertThat(fill(backend, new long[1])).isEqualTo(ROWS);
            assertFull(backend, ROWS);
            backend.dispose();
            assertThat(in(temporary)).isEmpty();
        }
    }

    @Test
    void metricsFollowTheFiles() throws Exception {
        try (TestSlot slot = new TestSlot(MANAGED).withMetrics(group)) {
            AbstractKeyedStateBackend<Long> backend =
                    slot.open(backend(directory), LongSerializer.INSTANCE);
            fill(backend, new long[1]);
            long most = ROWS * (ROW.length() + 100L);
            assertThat(gauge("spilledBytes")).isBetween(most / 2, most);
            assertThat(gauge("spillWrittenBytes"))
                    .isBetween(gauge("spilledBytes"), 2 * gauge("spilledBytes"));
            assertFull(backend, ROWS);
            assertThat(gauge("spillReadBytes")).isGreaterThan(most / 2);
            assertThat(in(in(directory).get(0))).as("names of open files").isEmpty();
        }
        assertThat(gauge("spilledBytes")).isZero();
        assertThat(in(directory)).isEmpty();
    }

    @Test
    void oneThatCannotBeUsedIsPassedOver() throws Exception {
        Path file = Files.writeString(directory.resolve("file"), "");
        Path good = directory.resolve("good");
        try (TestSlot slot = new TestSlot(MANAGED)) {
            for (int i = 0; i < 2; i++) {
                slot.open(backend(file, good), LongSerializer.INSTANCE);
            }
            assertThat(in(good)).hasSize(2);
        }
        assertThat(in(good)).isEmpty();
    }

    @Test
    void withoutAnyTheBackendIsNotCreated() throws Exception {
        Path file = Files.writeString(directory.resolve("file"), "");
        try (TestSlot slot = new TestSlot(MANAGED)) {
            assertThatThrownBy(() -> slot.open(backend(file), LongSerializer.INSTANCE))
                    .isInstanceOf(BackendBuildingException.class)
                    .hasMessageContaining(file.toString());
            assertThat(slot.environment().getMemoryManager().availableMemory()).isEqualTo(MANAGED);
        }
    }

    @Test
    void aFailedRestoreRemovesIt() throws Exception {
        KeyedStateHandle foreign =
                new KeyGroupsStateHandle(
                        new KeyGroupRangeOffsets(KeyGroupRange.of(0, TestSlot.KEY_GROUPS - 1)),
                        new ByteStreamStateHandle("foreign", new byte[100]));
        try (TestSlot slot = new TestSlot(MANAGED)) {
            assertThatThrownBy(
                            () -> slot.open(backend(directory), LongSerializer.INSTANCE, foreign))
                    .isInstanceOf(BackendBuildingException.class);
            assertThat(in(directory)).isEmpty();
        }
    }

    @Test
    void switchedOffTheBudgetIsTheLimit() throws Exception {
        Configuration options = new Configuration().set(PaimonOptions.SPILL_ENABLED, false);
        try (TestSlot slot = new TestSlot(MANAGED)) {
            AbstractKeyedStateBackend<Long> backend =
                    slot.open(backend(options), LongSerializer.INSTANCE);
            NativeException failure =
                    catchThrowableOfType(NativeException.class, () -> fill(backend, new long[1]));
            assertThat(failure.kind()).isEqualTo(NativeException.Kind.MEMORY);
            assertThat(failure).hasMessageContaining("taskmanager.memory.managed.size");
        }
    }

    @Test
    void aFailingDiskFailsTheWriteAndNothingElse() throws Exception {
        try (TestSlot slot = new TestSlot(MANAGED)) {
            AbstractKeyedStateBackend<Long> backend =
                    slot.open(backend(directory), LongSerializer.INSTANCE);
            Path own = in(directory).get(0);
            long[] written = new long[1];
            Files.delete(own);
            NativeException failure =
                    catchThrowableOfType(NativeException.class, () -> fill(backend, written));

            assertThat(failure.kind()).isEqualTo(NativeException.Kind.EXTERNAL);
            assertThat(failure)
                    .hasMessageContaining(own.toString())
                    .hasMessageContaining("No such file")
                    .hasMessageContaining(PaimonOptions.SPILL_DIRECTORIES.key())
                    .hasMessageNotContaining("taskmanager.memory");
            assertThat(written[0]).isBetween(1000L, ROWS - 1L);
            assertFull(backend, written[0]);

            KeyedStateHandle handle = slot.checkpoint(backend, 1);
            Files.createDirectory(own);
            assertThat(fill(backend, written)).as("when the disk is back").isEqualTo(ROWS);
            assertFull(backend, ROWS);
            assertFull(slot.open(larger(), LongSerializer.INSTANCE, handle), 1000);
        }
    }

    /** What only the restored state of the failed one needs. */
    private StreamFusionPaimonStateBackend larger() {
        return backend(
                new Configuration()
                        .set(StreamFusionOptions.FIXED_PER_SLOT, MemorySize.ofMebiBytes(16))
                        .set(PaimonOptions.SPILL_ENABLED, false));
    }

    @Test
    void whatWasSpilledBeforeADiskFailsIsInTheCheckpointAndComesBack() throws Exception {
        try (TestSlot slot = new TestSlot(MANAGED)) {
            AbstractKeyedStateBackend<Long> backend =
                    slot.open(backend(directory), LongSerializer.INSTANCE);
            fill(backend, new long[1]);
            Path own = in(directory).get(0);
            Files.delete(own);
            KeyedStateHandle handle = slot.checkpoint(backend, 1);
            NativeException failure =
                    catchThrowableOfType(NativeException.class, () -> assertFull(backend, ROWS));
            assertThat(failure).hasMessageContaining(own.toString());
            backend.dispose();

            AbstractKeyedStateBackend<Long> restored =
                    slot.open(backend(directory), LongSerializer.INSTANCE, handle);
            assertFull(restored, ROWS);
        }
    }
}
