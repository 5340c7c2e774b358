package io.streamfusion.state.paimon.table;

import io.streamfusion.ffi.NativeTableCompression;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.paimon.CoreOptions;
import org.apache.paimon.schema.TableSchema;
import org.apache.paimon.types.DataField;
import org.apache.paimon.types.DataType;
import org.apache.paimon.types.DataTypes;

/** The schema of a table of state. */
public final class TableSchemas {
    /** Field id of the first typed column. */
    static final int FIRST_TYPED_FIELD = 8;

    static final String KEY_GROUP = "kg";
    static final String CHECKPOINT = "cp";

    /** The columns that every table has; their place is their field id. */
    private static final Map<String, DataType> FIXED = fixed();

    private static final List<String> PRIMARY_KEY = List.of(KEY_GROUP, "st", "k", "ns", "uk");
    private static final String COMMENT = "Keyed state of a Flink operator, by StreamFusion";

    private TableSchemas() {}

    private static Map<String, DataType> fixed() {
        Map<String, DataType> columns = new LinkedHashMap<>();
        columns.put(KEY_GROUP, DataTypes.INT().notNull());
        columns.put("st", DataTypes.INT().notNull());
        columns.put("k", DataTypes.BYTES().notNull());
        columns.put("ns", DataTypes.BYTES().notNull());
        columns.put("uk", DataTypes.BYTES().notNull());
        columns.put("v", DataTypes.BYTES());
        columns.put("ts", DataTypes.BIGINT());
        columns.put(CHECKPOINT, DataTypes.BIGINT());
        return columns;
    }

    static Iterable<String> fixedNames() {
        return FIXED.keySet();
    }

    /**
     * Builds a schema.
     *
     * @param id its number in the table
     * @param buckets number of buckets; a key group's is its number modulo this
     */
    public static TableSchema create(
            long id, TableColumns columns, int buckets, NativeTableCompression compression) {
        List<DataField> fields = new ArrayList<>();
        FIXED.forEach((name, type) -> fields.add(new DataField(fields.size(), name, type)));
        for (TypedColumn column : columns.typed()) {
            fields.add(new DataField(column.fieldId(), column.name(), column.type().paimon()));
        }
        return new TableSchema(
                id,
                fields,
                fields.get(fields.size() - 1).id(),
                List.of(),
                PRIMARY_KEY,
                options(buckets, compression),
                COMMENT);
    }

    /**
     * Deletion vectors are ours to write, and nobody else writes or compacts. Clustering by the
     * checkpoint, which is constant in a file, lets files of one level overlap.
     */
    private static Map<String, String> options(int buckets, NativeTableCompression compression) {
        Map<String, String> options = new LinkedHashMap<>();
        options.put(CoreOptions.BUCKET.key(), Integer.toString(buckets));
        options.put(CoreOptions.BUCKET_KEY.key(), KEY_GROUP);
        options.put(CoreOptions.BUCKET_FUNCTION_TYPE.key(), "mod");
        options.put(CoreOptions.DELETION_VECTORS_ENABLED.key(), "true");
        options.put(CoreOptions.WRITE_ONLY.key(), "true");
        options.put(CoreOptions.PK_CLUSTERING_OVERRIDE.key(), "true");
        options.put(CoreOptions.CLUSTERING_COLUMNS.key(), CHECKPOINT);
        options.put(CoreOptions.FILE_FORMAT.key(), "parquet");
        options.put(CoreOptions.FILE_COMPRESSION.key(), compression.codec());
        options.put(CoreOptions.METADATA_STATS_MODE.key(), "none");
        return options;
    }
}
