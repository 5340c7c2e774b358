package io.streamfusion.e2e;

import java.io.IOException;
import java.time.Duration;
import org.apache.flink.api.common.functions.RuntimeContext;
import org.apache.flink.api.common.state.StateTtlConfig;
import org.apache.flink.api.common.state.ValueState;
import org.apache.flink.api.common.state.ValueStateDescriptor;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.api.java.tuple.Tuple3;
import org.apache.flink.util.Collector;

/**
 * Keeps the same number twice, with and without a time to live, and checks that the first is there
 * for exactly as long as it should be.
 *
 * <p>When a state expires depends on the wall clock, and so on how long a restart took. What is
 * exact is an interval: the state's time stamp was taken between two readings of the clock around
 * the write, and it is judged between two around the read. Where these four decide, a wrong answer
 * is a line of output that the test does not expect; where they do not, either answer is right.
 */
final class TtlProbe {
    /**
     * Short enough that a cold key expires between two of its records, and a hot key never does.
     */
    static final long TTL_MILLIS = 2_000;

    private final ValueState<Long> mortal;
    private final ValueState<Tuple3<Long, Long, Long>> witness;

    TtlProbe(RuntimeContext context) {
        ValueStateDescriptor<Long> descriptor =
                new ValueStateDescriptor<>("mortal-count", Types.LONG);
        descriptor.enableTimeToLive(
                StateTtlConfig.newBuilder(Duration.ofMillis(TTL_MILLIS))
                        .setUpdateType(StateTtlConfig.UpdateType.OnCreateAndWrite)
                        .setStateVisibility(StateTtlConfig.StateVisibility.NeverReturnExpired)
                        .build());
        mortal = context.getState(descriptor);
        witness =
                context.getState(
                        new ValueStateDescriptor<>(
                                "witness", Types.TUPLE(Types.LONG, Types.LONG, Types.LONG)));
    }

    /** Reads and checks what the last call wrote for this key, then writes {@code count}. */
    void check(String key, long count, Collector<String> out) throws IOException {
        Tuple3<Long, Long, Long> written = witness.value();
        if (written != null) {
            long before = System.currentTimeMillis();
            Long found = mortal.value();
            long after = System.currentTimeMillis();
            long wroteFrom = written.f1;
            long wroteTo = written.f2;
            if (found != null && found.longValue() != written.f0) {
                out.collect(Lines.wrong(key, "ttl state holds " + found + ", not " + written.f0));
            } else if (found != null && before >= wroteTo + TTL_MILLIS) {
                out.collect(Lines.wrong(key, "ttl state outlived its time"));
            } else if (found == null && after < wroteFrom + TTL_MILLIS) {
                out.collect(Lines.wrong(key, "ttl state lost before its time"));
            }
            out.collect(Lines.ttl(found != null));
        }
        long from = System.currentTimeMillis();
        mortal.update(count);
        witness.update(Tuple3.of(count, from, System.currentTimeMillis()));
    }
}
