package io.streamfusion.e2e;

import org.apache.flink.api.common.functions.RuntimeContext;
import org.apache.flink.api.common.state.ValueState;
import org.apache.flink.api.common.state.ValueStateDescriptor;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.util.Collector;

/** Makes the state of each key large, with a text that follows from the key and its count. */
final class BallastProbe {
    private final int length;
    private final ValueState<String> text;

    /**
     * Registers the state.
     *
     * @param length of each text
     */
    BallastProbe(RuntimeContext context, int length) {
        this.length = length;
        text = context.getState(new ValueStateDescriptor<>("ballast", Types.STRING));
    }

    /** Compares the state with what the last call wrote for this key, then writes the next. */
    void check(String key, long count, Collector<String> out) throws Exception {
        String expected = count == 1 ? null : text(key, count - 1);
        String found = text.value();
        if (expected == null ? found != null : !expected.equals(found)) {
            out.collect(Lines.wrong(key, "ballast is not that of record " + (count - 1)));
        }
        text.update(text(key, count));
    }

    /** No part of it is the same in two texts. */
    private String text(String key, long count) {
        StringBuilder built = new StringBuilder(length + Long.BYTES * 2);
        for (long i = 0; built.length() < length; i++) {
            built.append(Long.toHexString(Event.mix((key.hashCode() * 31L + count) * 1_000 + i)));
        }
        return built.substring(0, length);
    }
}
