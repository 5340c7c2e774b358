package io.streamfusion.state.paimon.catalog.decode;

import io.streamfusion.ffi.NativeStateKind;
import java.util.ArrayList;
import java.util.List;
import org.apache.flink.table.types.logical.BigIntType;
import org.apache.flink.table.types.logical.IntType;
import org.apache.flink.table.types.logical.LocalZonedTimestampType;
import org.apache.flink.table.types.logical.LogicalType;
import org.apache.flink.table.types.logical.MapType;
import org.apache.flink.table.types.logical.VarCharType;

/**
 * What the rows of one state consist of.
 *
 * @param name of the state
 * @param kind layout of its rows
 * @param title what Flink calls it, like VALUE or AGGREGATING
 * @param key the keys
 * @param namespace the namespaces
 * @param hasNamespace whether there is another namespace than the void one
 * @param ambiguous whether key and namespace are followed by their lengths, since both vary
 * @param userKey keys of a map; unknown for others
 * @param value values, elements of a list, or values of a map; unknown for timers
 * @param stamped whether each value begins with the time of its last access
 */
public record StateShape(
        String name,
        NativeStateKind kind,
        String title,
        Shape key,
        Shape namespace,
        boolean hasNamespace,
        boolean ambiguous,
        Shape userKey,
        Shape value,
        boolean stamped) {
    private static final int MILLIS = 3;
    static final LogicalType TIME = new LocalZonedTimestampType(MILLIS);
    static final LogicalType UNDECODED_TYPE =
            new MapType(new VarCharType(VarCharType.MAX_LENGTH), Shape.BYTES);

    /** A state of which only bytes are known. */
    static StateShape ofBytes(String name, NativeStateKind kind) {
        return new StateShape(
                name,
                kind,
                kind.name(),
                Shape.unknown(),
                Shape.unknown(),
                true,
                false,
                Shape.unknown(),
                Shape.unknown(),
                false);
    }

    /** The columns of the state's table. */
    public List<StateColumn> columns() {
        List<StateColumn> columns = new ArrayList<>();
        columns.add(new StateColumn(StateColumn.KEY, key.type()));
        if (hasNamespace) {
            columns.add(new StateColumn(StateColumn.NAMESPACE, namespace.type()));
        }
        if (kind == NativeStateKind.TIMER) {
            columns.add(new StateColumn(StateColumn.TIMESTAMP, new BigIntType()));
        } else {
            if (kind == NativeStateKind.MAP) {
                columns.add(new StateColumn(StateColumn.MAP_KEY, userKey.type()));
            } else if (kind == NativeStateKind.LIST) {
                columns.add(new StateColumn(StateColumn.LIST_INDEX, new IntType()));
            }
            columns.add(new StateColumn(StateColumn.VALUE, value.type()));
            if (stamped) {
                columns.add(new StateColumn(StateColumn.LAST_ACCESS, TIME));
            }
        }
        if (isAnythingTyped()) {
            columns.add(new StateColumn(StateColumn.UNDECODED, UNDECODED_TYPE));
        }
        return columns;
    }

    private boolean isAnythingTyped() {
        return key.typed()
                || value.typed()
                || userKey.typed()
                || stamped
                || (hasNamespace && namespace.typed());
    }
}
