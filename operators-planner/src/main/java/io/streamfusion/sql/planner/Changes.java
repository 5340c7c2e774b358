package io.streamfusion.sql.planner;

import java.lang.reflect.Field;
import java.util.ArrayList;
import java.util.List;

/**
 * What was changed in transformations, so that it can be taken back: a plan may be translated again
 * with other options. Not for use by several threads.
 */
final class Changes {
    private record Change(Field field, Object target, Object before) {}

    private final List<Change> changes = new ArrayList<>();

    /** Sets a field of {@link TransformationAccess}. */
    void set(Field field, Object target, Object value) {
        changes.add(new Change(field, target, get(field, target)));
        put(field, target, value);
    }

    /** Takes everything back. */
    void undo() {
        for (Change change : changes.reversed()) {
            put(change.field(), change.target(), change.before());
        }
        changes.clear();
    }

    private static Object get(Field field, Object target) {
        try {
            return field.get(target);
        } catch (IllegalAccessException e) {
            throw new IllegalStateException(field + " was made accessible", e);
        }
    }

    private static void put(Field field, Object target, Object value) {
        try {
            field.set(target, value);
        } catch (IllegalAccessException e) {
            throw new IllegalStateException(field + " was made accessible", e);
        }
    }
}
