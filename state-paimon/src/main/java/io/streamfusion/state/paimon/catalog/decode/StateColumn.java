package io.streamfusion.state.paimon.catalog.decode;

import java.io.Serializable;
import org.apache.flink.table.types.logical.LogicalType;

/**
 * A column of a state's table.
 *
 * @param name one of the constants here
 * @param type its type, nullable
 */
public record StateColumn(String name, LogicalType type) implements Serializable {
    static final String KEY = "key";
    static final String NAMESPACE = "namespace";
    static final String MAP_KEY = "map_key";

    /** Position of an element in its list, from 0. */
    static final String LIST_INDEX = "list_index";

    static final String VALUE = "value";

    /** When a timer is due, in milliseconds; of which clock, only the operator knows. */
    static final String TIMESTAMP = "ts";

    /** Time stamp of a value with a time to live. */
    static final String LAST_ACCESS = "last_access";

    /** Bytes that could not be decoded, by the column that lacks them. */
    static final String UNDECODED = "undecoded";
}
