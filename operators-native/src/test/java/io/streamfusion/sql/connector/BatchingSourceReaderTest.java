package io.streamfusion.sql.connector;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.streamfusion.plan.proto.JsonReader;
import io.streamfusion.plan.proto.Reader;
import io.streamfusion.sql.edge.BatchRows;
import io.streamfusion.sql.plan.BatchSettings;
import io.streamfusion.sql.plan.TypeEncoder;
import io.streamfusion.sql.runtime.NativeBatchRecord;
import io.streamfusion.state.memory.testing.NoNativeLeaks;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import org.apache.flink.api.common.eventtime.Watermark;
import org.apache.flink.api.connector.source.ReaderOutput;
import org.apache.flink.api.connector.source.SourceOutput;
import org.apache.flink.api.connector.source.SourceReader;
import org.apache.flink.api.connector.source.SourceSplit;
import org.apache.flink.core.io.InputStatus;
import org.apache.flink.metrics.SimpleCounter;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.types.logical.BigIntType;
import org.apache.flink.table.types.logical.LogicalType;
import org.apache.flink.table.types.logical.RowType;
import org.apache.flink.util.Collector;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Batches of a source end with the poll that began them, and stay with their split. */
@ExtendWith(NoNativeLeaks.class)
@SuppressWarnings("try") // what may be interrupted is Flink's
class BatchingSourceReaderTest {
    private static final RowType TYPE =
            RowType.of(new LogicalType[] {new BigIntType()}, new String[] {"id"});

    private static final BatchSettings SETTINGS = new BatchSettings(4, 1 << 20, 0, 1 << 24);

    private static final byte[] PLAN =
            Reader.newBuilder()
                    .setDescription("TableSourceScan(table=[t])")
                    .setOutput(TypeEncoder.encode(TYPE))
                    .setJson(JsonReader.getDefaultInstance())
                    .build()
                    .toByteArray();

    private final ScriptedReader script = new ScriptedReader();
    private final SimpleCounter numRecordsOut = new SimpleCounter();
    private final Emitted emitted = new Emitted();

    @Test
    void aPollEmitsOneBatchForEachSplit() throws Exception {
        script.message("a", 1, 10).message("b", 2, 11).message("a", 3, 12).nothing();
        try (var reader = reader()) {
            assertThat(reader.pollNext(emitted)).isEqualTo(InputStatus.NOTHING_AVAILABLE);
            assertThat(emitted.events).containsExactly("a [1, 3] @12", "b [2] @11");
            // Flink counts one for each batch.
            assertThat(numRecordsOut.getCount()).isEqualTo(1);
            assertThat(emitted.batches).allMatch(record -> record.batch().isClosed());
        }
    }

    @Test
    void aFullBatchEndsThePoll() throws Exception {
        for (int i = 0; i < 6; i++) {
            script.message("a", i, i);
        }
        script.end();
        try (var reader = reader()) {
            assertThat(reader.pollNext(emitted)).isEqualTo(InputStatus.MORE_AVAILABLE);
            assertThat(emitted.events).containsExactly("a [0, 1, 2, 3] @3");
            assertThat(reader.pollNext(emitted)).isEqualTo(InputStatus.END_OF_INPUT);
            assertThat(emitted.events).containsExactly("a [0, 1, 2, 3] @3", "a [4, 5] @5");
        }
    }

    @Test
    void messagesWithoutAValueAreSkipped() throws Exception {
        script.message("a", 1, 1).tombstone("a").nothing().tombstone("a").nothing();
        try (var reader = reader()) {
            reader.pollNext(emitted);
            assertThat(emitted.events).containsExactly("a [1] @1");
            reader.pollNext(emitted);
            assertThat(emitted.events).hasSize(1);
        }
    }

    @Test
    void aSplitThatEndsIsEmittedBeforeItsOutputGoes() throws Exception {
        script.message("a", 1, 1).finish("a").message("b", 2, 2).nothing();
        try (var reader = reader()) {
            reader.pollNext(emitted);
            assertThat(emitted.events).containsExactly("a [1] @1", "a released", "b [2] @2");
        }
    }

    @Test
    void aMessageThatCannotBeReadFailsTheTask() throws Exception {
        script.message("a", 1, 1).bad("a").nothing();
        try (var reader = reader()) {
            assertThatThrownBy(() -> reader.pollNext(emitted))
                    .hasMessageContaining("split a")
                    .hasMessageContaining("TableSourceScan(table=[t])");
        }
        assertThat(emitted.events).isEmpty();
    }

    private BatchingSourceReader<SourceSplit> reader() {
        var reader = new BatchingSourceReader<>(script, numRecordsOut, PLAN, TYPE, SETTINGS);
        reader.start();
        return reader;
    }

    /** A reader that does what it is told, a step each poll. */
    private static final class ScriptedReader implements SourceReader<RowData, SourceSplit> {
        private interface Step {
            InputStatus run(ReaderOutput<RowData> output) throws Exception;
        }

        private final Queue<Step> steps = new ArrayDeque<>();
        private final RawMessages messages = new RawMessages(null);

        ScriptedReader message(String split, long id, long timestamp) {
            return bytes(
                    split, ("{\"id\":" + id + "}").getBytes(StandardCharsets.UTF_8), timestamp);
        }

        ScriptedReader bad(String split) {
            return bytes(split, "{".getBytes(StandardCharsets.UTF_8), 0);
        }

        ScriptedReader tombstone(String split) {
            return bytes(split, null, 0);
        }

        private ScriptedReader bytes(String split, byte[] bytes, long timestamp) {
            steps.add(
                    output -> {
                        SourceOutput<RowData> target = output.createOutputForSplit(split);
                        messages.deserialize(
                                bytes,
                                new Collector<>() {
                                    @Override
                                    public void collect(RowData row) {
                                        target.collect(row, timestamp);
                                    }

                                    @Override
                                    public void close() {}
                                });
                        return InputStatus.MORE_AVAILABLE;
                    });
            return this;
        }

        ScriptedReader finish(String split) {
            steps.add(
                    output -> {
                        output.releaseOutputForSplit(split);
                        return InputStatus.MORE_AVAILABLE;
                    });
            return this;
        }

        ScriptedReader nothing() {
            steps.add(output -> InputStatus.NOTHING_AVAILABLE);
            return this;
        }

        ScriptedReader end() {
            steps.add(output -> InputStatus.END_OF_INPUT);
            return this;
        }

        @Override
        public void start() {}

        @Override
        public InputStatus pollNext(ReaderOutput<RowData> output) throws Exception {
            return steps.remove().run(output);
        }

        @Override
        public List<SourceSplit> snapshotState(long checkpointId) {
            return List.of();
        }

        @Override
        public CompletableFuture<Void> isAvailable() {
            return CompletableFuture.completedFuture(null);
        }

        @Override
        public void addSplits(List<SourceSplit> splits) {}

        @Override
        public void notifyNoMoreSplits() {}

        @Override
        public void close() {}
    }

    /** What a source operator was given. */
    private static final class Emitted implements ReaderOutput<Object> {
        private final List<String> events = new ArrayList<>();
        private final List<NativeBatchRecord> batches = new ArrayList<>();

        @Override
        public void collect(Object record) {
            throw new AssertionError("not to a split");
        }

        @Override
        public void collect(Object record, long timestamp) {
            throw new AssertionError("not to a split");
        }

        @Override
        public void emitWatermark(Watermark watermark) {}

        @Override
        public void markIdle() {}

        @Override
        public void markActive() {}

        @Override
        public SourceOutput<Object> createOutputForSplit(String split) {
            return new SourceOutput<>() {
                @Override
                public void collect(Object record) {
                    throw new AssertionError("without a timestamp");
                }

                @Override
                public void collect(Object record, long timestamp) {
                    NativeBatchRecord batch = (NativeBatchRecord) record;
                    batches.add(batch);
                    List<Long> ids = new ArrayList<>();
                    try (BatchRows rows = new BatchRows(TYPE, "test", false)) {
                        rows.emit(batch.batch(), row -> ids.add(row.getLong(0)));
                    }
                    events.add(split + " " + ids + " @" + timestamp);
                }

                @Override
                public void emitWatermark(Watermark watermark) {}

                @Override
                public void markIdle() {}

                @Override
                public void markActive() {}
            };
        }

        @Override
        public void releaseOutputForSplit(String split) {
            events.add(split + " released");
        }
    }
}
