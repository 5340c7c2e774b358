package io.streamfusion.sql.planner;

import java.lang.reflect.Field;

/**
 * Fields of a connector's table source or sink. Its class may be in a user's jar and hence be
 * another one for each query, so these are looked up when they are read.
 */
record ConnectorFields(Object table) {

    /**
     * The value of a field.
     *
     * @throws Refusal when the connector is of a version without it
     */
    <T> T get(String name, Class<T> type) throws Refusal {
        try {
            Field field = table.getClass().getDeclaredField(name);
            field.setAccessible(true);
            return type.cast(field.get(table));
        } catch (ReflectiveOperationException | RuntimeException e) {
            throw Reason.NOT_SUPPORTED.with(
                    "this version of the connector has no " + name + " (" + e + ")");
        }
    }

    /** Whether the class is this one. */
    boolean isA(String className) {
        return table.getClass().getName().equals(className);
    }
}
