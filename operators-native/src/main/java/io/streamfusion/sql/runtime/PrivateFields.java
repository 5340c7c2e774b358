package io.streamfusion.sql.runtime;

import java.lang.reflect.Field;

/** Private fields of Flink's classes, whose interfaces do not offer what we need. */
public final class PrivateFields {
    private PrivateFields() {}

    /**
     * The value of a field of the object's class or one above it.
     *
     * @throws IllegalArgumentException when there is none of that name: another version
     */
    public static Object get(Object object, String name) {
        try {
            return field(object, name).get(object);
        } catch (IllegalAccessException e) {
            throw noSuchField(object, name, e);
        }
    }

    /** Sets a field, also a final one; as {@link #get}. */
    public static void set(Object object, String name, Object value) {
        try {
            field(object, name).set(object, value);
        } catch (IllegalAccessException e) {
            throw noSuchField(object, name, e);
        }
    }

    private static Field field(Object object, String name) {
        Class<?> type = object.getClass();
        while (type != null) {
            try {
                Field field = type.getDeclaredField(name);
                field.setAccessible(true);
                return field;
            } catch (NoSuchFieldException e) {
                type = type.getSuperclass();
            }
        }
        throw noSuchField(object, name, null);
    }

    private static IllegalArgumentException noSuchField(
            Object object, String name, Exception cause) {
        return new IllegalArgumentException(
                "a class of another version: "
                        + object.getClass().getName()
                        + " has no usable field "
                        + name,
                cause);
    }
}
