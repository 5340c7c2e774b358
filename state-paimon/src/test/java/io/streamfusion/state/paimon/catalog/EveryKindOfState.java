package io.streamfusion.state.paimon.catalog;

import java.time.Duration;
import org.apache.flink.api.common.functions.OpenContext;
import org.apache.flink.api.common.state.ListState;
import org.apache.flink.api.common.state.ListStateDescriptor;
import org.apache.flink.api.common.state.MapState;
import org.apache.flink.api.common.state.MapStateDescriptor;
import org.apache.flink.api.common.state.ReducingState;
import org.apache.flink.api.common.state.ReducingStateDescriptor;
import org.apache.flink.api.common.state.StateTtlConfig;
import org.apache.flink.api.common.state.ValueState;
import org.apache.flink.api.common.state.ValueStateDescriptor;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.streaming.api.functions.KeyedProcessFunction;
import org.apache.flink.util.Collector;

/** Remembers numbers in every kind of state. */
final class EveryKindOfState extends KeyedProcessFunction<String, Integer, Long> {
    private static final long serialVersionUID = 1L;

    private transient ValueState<Long> count;
    private transient ReducingState<Long> total;
    private transient ListState<Integer> numbers;
    private transient MapState<Integer, Long> byRest;
    private transient ValueState<String> last;
    private transient ValueState<Account> account;

    /** A class that the catalog shows as bytes. */
    public static final class Account {
        public long balance;
        public String owner;
    }

    @Override
    public void open(OpenContext context) {
        count =
                getRuntimeContext()
                        .getState(new ValueStateDescriptor<>("number-count", Types.LONG));
        total =
                getRuntimeContext()
                        .getReducingState(
                                new ReducingStateDescriptor<>("total", Long::sum, Types.LONG));
        numbers = getRuntimeContext().getListState(new ListStateDescriptor<>("numbers", Types.INT));
        byRest =
                getRuntimeContext()
                        .getMapState(new MapStateDescriptor<>("by rest", Types.INT, Types.LONG));
        ValueStateDescriptor<String> living = new ValueStateDescriptor<>("last", Types.STRING);
        living.enableTimeToLive(StateTtlConfig.newBuilder(Duration.ofHours(1)).build());
        last = getRuntimeContext().getState(living);
        account =
                getRuntimeContext()
                        .getState(new ValueStateDescriptor<>("account", Types.POJO(Account.class)));
    }

    @Override
    public void processElement(Integer number, Context context, Collector<Long> out)
            throws Exception {
        Long counted = count.value();
        count.update(counted == null ? 1 : counted + 1);
        total.add((long) number);
        numbers.add(number);
        Long before = byRest.get(number % 3);
        byRest.put(number % 3, before == null ? 1 : before + 1);
        last.update("number " + number);
        Account changed = new Account();
        changed.balance = number;
        changed.owner = context.getCurrentKey();
        account.update(changed);
        context.timerService().registerEventTimeTimer(1_000_000L + number % 2);
        out.collect(total.get());
    }
}
