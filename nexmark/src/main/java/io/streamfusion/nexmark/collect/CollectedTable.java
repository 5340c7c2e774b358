package io.streamfusion.nexmark.collect;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.flink.types.RowKind;

/**
 * What a result table holds by now. A table with a primary key keeps the last row of each key, one
 * without keeps every row. Each sink subtask writes a part of its own; read it when the job has
 * finished. A job that restarts would begin with empty parts, so let it fail instead.
 */
public final class CollectedTable {
    private static final Map<String, CollectedTable> OPEN = new ConcurrentHashMap<>();

    private final Map<Integer, Part> parts = new ConcurrentHashMap<>();

    private CollectedTable() {}

    /**
     * Starts collecting for the table option {@code 'id'}; throws {@link IllegalStateException} if
     * the id is taken.
     */
    public static CollectedTable open(String id) {
        CollectedTable table = new CollectedTable();
        if (OPEN.putIfAbsent(id, table) != null) {
            throw new IllegalStateException("already collecting " + id);
        }
        return table;
    }

    /** Ends collecting; the table stays readable. */
    public static void close(String id) {
        OPEN.remove(id);
    }

    static CollectedTable find(String id) {
        CollectedTable table = OPEN.get(id);
        if (table == null) {
            throw new IllegalStateException(
                    "nobody in this JVM collects '"
                            + id
                            + "': connector "
                            + CollectTableFactory.IDENTIFIER
                            + " is for embedded Flink");
        }
        return table;
    }

    /** The final rows as text, columns joined with {@code |}, in no order. */
    public List<String> rows() {
        List<String> all = new ArrayList<>();
        parts.values().forEach(part -> all.addAll(part.rows()));
        return all;
    }

    Part newPart(int subtask, boolean keyed) {
        Part part = keyed ? new KeyedPart() : new AppendedPart();
        parts.put(subtask, part);
        return part;
    }

    /** The rows of one subtask; written by its task thread. */
    sealed interface Part {
        void apply(RowKind kind, String key, String row);

        Collection<String> rows();
    }

    private static final class AppendedPart implements Part {
        private final List<String> rows = new ArrayList<>();

        @Override
        public void apply(RowKind kind, String key, String row) {
            if (kind != RowKind.INSERT) {
                throw new IllegalStateException(kind + " in a table without primary key: " + row);
            }
            rows.add(row);
        }

        @Override
        public Collection<String> rows() {
            return rows;
        }
    }

    private static final class KeyedPart implements Part {
        private final Map<String, String> rows = new HashMap<>();

        @Override
        public void apply(RowKind kind, String key, String row) {
            switch (kind) {
                case INSERT, UPDATE_AFTER -> rows.put(key, row);
                case DELETE -> rows.remove(key);
                case UPDATE_BEFORE -> {
                    // Its update-after has the same key and replaces it.
                }
            }
        }

        @Override
        public Collection<String> rows() {
            return rows.values();
        }
    }
}
