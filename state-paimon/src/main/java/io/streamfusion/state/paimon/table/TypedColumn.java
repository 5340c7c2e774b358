package io.streamfusion.state.paimon.table;

/**
 * A column that the native side decodes from the bytes of a row.
 *
 * @param name unique in the table
 * @param fieldId unique in the table, 8 or more
 * @param type its type
 * @param source which bytes of the row it is decoded from
 * @param state the only state whose rows have it, or {@link #EVERY_STATE}
 * @param coding how the bytes are to be understood
 * @param index position of a field in its row
 * @param arity number of fields of that row
 * @param skip bytes before the scalar or the row
 */
record TypedColumn(
        String name,
        int fieldId,
        ColumnType type,
        Source source,
        int state,
        KnownBytes.Coding coding,
        int index,
        int arity,
        int skip) {
    static final int EVERY_STATE = -1;

    /** Sources of the native interface. */
    enum Source {
        KEY(0),
        USER_KEY(2),
        VALUE(3);

        private final int code;

        Source(int code) {
            this.code = code;
        }

        int code() {
            return code;
        }
    }
}
