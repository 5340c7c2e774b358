package io.streamfusion.e2e;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.flink.api.common.functions.OpenContext;
import org.apache.flink.api.common.state.AggregatingState;
import org.apache.flink.api.common.state.AggregatingStateDescriptor;
import org.apache.flink.api.common.state.ListState;
import org.apache.flink.api.common.state.ListStateDescriptor;
import org.apache.flink.api.common.state.MapState;
import org.apache.flink.api.common.state.MapStateDescriptor;
import org.apache.flink.api.common.state.ReducingState;
import org.apache.flink.api.common.state.ReducingStateDescriptor;
import org.apache.flink.api.common.state.ValueState;
import org.apache.flink.api.common.state.ValueStateDescriptor;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.streaming.api.functions.KeyedProcessFunction;
import org.apache.flink.util.Collector;

/**
 * Keeps books on every record in each kind of keyed state and in timers, in such a way that the
 * multiset of its output is a function of its input alone, whatever the interleaving of the
 * partitions and however often it is restored.
 *
 * <p>So a lost or doubled entry of any state, a timer that fires twice or never, and a record
 * counted twice all show as lines too many or too few.
 */
final class AccountFunction extends KeyedProcessFunction<String, Event, String> {
    private static final long serialVersionUID = 1L;

    /** Fires when the input ends: only the last watermark of a source is as late. */
    private static final long AT_THE_END = Long.MAX_VALUE - 1;

    private final int ballastLength;

    private transient ValueState<Long> count;
    private transient MapState<Long, Long> windowSums;
    private transient ListState<Long> open;
    private transient ReducingState<Long> xor;
    private transient AggregatingState<Long, Long> smallest;
    private transient TtlProbe ttl;
    private transient BallastProbe ballast;

    /**
     * @param ballastLength of the text that each key keeps besides; 0 for none
     */
    AccountFunction(int ballastLength) {
        this.ballastLength = ballastLength;
    }

    @Override
    public void open(OpenContext context) {
        count = getRuntimeContext().getState(new ValueStateDescriptor<>("count", Types.LONG));
        windowSums =
                getRuntimeContext()
                        .getMapState(
                                new MapStateDescriptor<>("window-sums", Types.LONG, Types.LONG));
        open = getRuntimeContext().getListState(new ListStateDescriptor<>("open", Types.LONG));
        xor =
                getRuntimeContext()
                        .getReducingState(
                                new ReducingStateDescriptor<>("xor", (a, b) -> a ^ b, Types.LONG));
        smallest =
                getRuntimeContext()
                        .getAggregatingState(
                                new AggregatingStateDescriptor<>(
                                        "smallest", new SmallestAggregate(), Types.LONG));
        ttl = new TtlProbe(getRuntimeContext());
        ballast = ballastLength == 0 ? null : new BallastProbe(getRuntimeContext(), ballastLength);
    }

    @Override
    public void processElement(Event event, Context context, Collector<String> out)
            throws Exception {
        long seen = orZero(count.value()) + 1;
        count.update(seen);
        out.collect(Lines.record(event));
        out.collect(Lines.count(event.key, seen));

        long window = Windows.startOf(event.timestamp);
        windowSums.put(window, orZero(windowSums.get(window)) + event.value);
        open.add(Windows.id(event.partition, event.sequence));
        xor.add(event.value);
        smallest.add(event.value);
        context.timerService().registerEventTimeTimer(window + Windows.SIZE_MILLIS - 1);
        context.timerService().registerEventTimeTimer(AT_THE_END);

        ttl.check(event.key, seen, out);
        if (ballast != null) {
            ballast.check(event.key, seen, out);
        }
    }

    @Override
    public void onTimer(long timestamp, OnTimerContext context, Collector<String> out)
            throws Exception {
        String key = context.getCurrentKey();
        if (timestamp == AT_THE_END) {
            out.collect(Lines.total(key, count.value(), xor.get(), smallest.get()));
            return;
        }
        long window = Windows.startOf(timestamp);
        List<Long> inside = new ArrayList<>();
        List<Long> later = new ArrayList<>();
        for (long id : open.get()) {
            long start = Windows.startOf(Windows.timestampOf(id));
            if (start < window) {
                out.collect(Lines.wrong(key, "record " + id + " left over at " + window));
            }
            (start == window ? inside : later).add(id);
        }
        open.update(later);
        long[] ids = inside.stream().mapToLong(Long::longValue).toArray();
        long sum = windowSums.get(window);
        out.collect(
                Lines.window(
                        key, window, ids.length, sum, Windows.digest(ids), rollingSum(window)));
    }

    /** Adds up the remembered windows up to {@code window} and forgets the older ones. */
    private long rollingSum(long window) throws Exception {
        long oldest = window - (Windows.REMEMBERED - 1) * Windows.SIZE_MILLIS;
        long rolling = 0;
        List<Long> tooOld = new ArrayList<>();
        for (Map.Entry<Long, Long> entry : windowSums.entries()) {
            if (entry.getKey() < oldest) {
                tooOld.add(entry.getKey());
            } else if (entry.getKey() <= window) {
                rolling += entry.getValue();
            }
        }
        for (long start : tooOld) {
            windowSums.remove(start);
        }
        return rolling;
    }

    private static long orZero(Long value) {
        return value == null ? 0 : value;
    }
}
