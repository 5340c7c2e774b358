package io.streamfusion.nexmark.query;

import org.apache.flink.table.annotation.DataTypeHint;
import org.apache.flink.table.data.StringData;
import org.apache.flink.table.functions.ScalarFunction;

/** {@code count_char} of q14. */
public final class CountChar extends ScalarFunction {
    private static final long serialVersionUID = 1L;

    /** How many bytes of the text equal the first byte of the letter; 0 for a NULL text. */
    public long eval(
            @DataTypeHint("STRING") StringData text, @DataTypeHint("STRING") StringData letter) {
        if (text == null) {
            return 0;
        }
        byte wanted = letter.toBytes()[0];
        long count = 0;
        for (byte found : text.toBytes()) {
            if (found == wanted) {
                count++;
            }
        }
        return count;
    }
}
