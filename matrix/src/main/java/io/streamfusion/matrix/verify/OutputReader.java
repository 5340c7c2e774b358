package io.streamfusion.matrix.verify;

import io.streamfusion.matrix.kafka.CommittedTopic;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

/** Reads the committed output of finished jobs. One thread an instance. */
public final class OutputReader {
    private final CommittedTopic committed;

    /**
     * @param committed where the topics are
     */
    public OutputReader(CommittedTopic committed) {
        this.committed = committed;
    }

    /**
     * Final rows of an output, in short.
     *
     * @param rows how many
     * @param digest of their multiset
     */
    public record Output(long rows, String digest) {}

    /** Folds an output by its key, if it has one, and digests the rows as they were written. */
    public Output digest(String topic, SinkSchema schema) {
        MultisetDigest digest = new MultisetDigest();
        forEachFinalRow(topic, schema, digest::add);
        return new Output(digest.rows(), digest.hex());
    }

    /** The final rows as text, in no order. */
    public List<String> rows(String topic, SinkSchema schema) {
        List<String> rows = new ArrayList<>();
        forEachFinalRow(topic, schema, value -> rows.add(RowText.of(schema, value)));
        return rows;
    }

    private void forEachFinalRow(String topic, SinkSchema schema, Consumer<byte[]> taker) {
        if (!schema.upsert()) {
            committed.forEach(topic, (key, value) -> taker.accept(value));
            return;
        }
        Map<ByteBuffer, byte[]> byKey = new HashMap<>();
        committed.forEach(
                topic,
                (key, value) -> {
                    if (value == null) {
                        byKey.remove(ByteBuffer.wrap(key));
                    } else {
                        byKey.put(ByteBuffer.wrap(key), value);
                    }
                });
        byKey.values().forEach(taker);
    }
}
