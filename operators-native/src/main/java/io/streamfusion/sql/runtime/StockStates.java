package io.streamfusion.sql.runtime;

import java.io.Serializable;
import org.apache.flink.api.common.functions.DefaultOpenContext;
import org.apache.flink.api.common.functions.RichFunction;
import org.apache.flink.runtime.state.VoidNamespace;
import org.apache.flink.runtime.state.VoidNamespaceSerializer;
import org.apache.flink.streaming.api.operators.AbstractStreamOperator;
import org.apache.flink.streaming.api.operators.InternalTimer;
import org.apache.flink.streaming.api.operators.KeyedProcessOperator;
import org.apache.flink.streaming.api.operators.SimpleOperatorFactory;
import org.apache.flink.streaming.api.operators.StreamOperator;
import org.apache.flink.streaming.api.operators.StreamOperatorFactory;
import org.apache.flink.streaming.api.operators.Triggerable;
import org.apache.flink.table.runtime.context.ExecutionContextImpl;
import org.apache.flink.table.runtime.operators.bundle.KeyedMapBundleOperator;
import org.apache.flink.table.runtime.operators.bundle.MapBundleFunction;

/**
 * The states of the stock operator in whose place a native one is. They are registered by opening
 * the stock operator's own function, which is asked for nothing else: so names, serializers and
 * time-to-live are stock's.
 */
public final class StockStates implements Serializable {
    private static final long serialVersionUID = 1L;

    /** Of {@link KeyedProcessOperator}: it has timers, whether its function sets some or not. */
    private static final String TIMERS = "user-timers";

    /** A {@link RichFunction} or a {@link MapBundleFunction}. */
    private final Serializable function;

    private StockStates(Serializable function) {
        this.function = function;
    }

    /**
     * The states of the operators that a stock factory makes.
     *
     * @throws IllegalArgumentException in words for users, when it is of another kind
     */
    public static StockStates of(StreamOperatorFactory<?> stock) {
        if (stock instanceof SimpleOperatorFactory<?> simple) {
            StreamOperator<?> operator = simple.getOperator();
            if (operator instanceof KeyedProcessOperator<?, ?, ?> process) {
                return new StockStates(process.getUserFunction());
            }
            if (operator instanceof KeyedMapBundleOperator<?, ?, ?, ?> bundle) {
                Object function = PrivateFields.get(bundle, "function");
                return new StockStates((MapBundleFunction<?, ?, ?, ?>) function);
            }
        }
        throw new IllegalArgumentException("the state of " + stock.getClass().getName());
    }

    /** Registers the states in the keyed backend of an operator that is being opened. */
    void register(AbstractStreamOperator<?> operator) throws Exception {
        if (function instanceof MapBundleFunction<?, ?, ?, ?> bundle) {
            bundle.open(new ExecutionContextImpl(operator, operator.getRuntimeContext()));
            return;
        }
        operator.getInternalTimerService(TIMERS, VoidNamespaceSerializer.INSTANCE, new NoTimers());
        RichFunction rich = (RichFunction) function;
        rich.setRuntimeContext(operator.getRuntimeContext());
        rich.open(DefaultOpenContext.INSTANCE);
    }

    /** Closes the stock function. */
    void close() throws Exception {
        if (function instanceof MapBundleFunction<?, ?, ?, ?> bundle) {
            bundle.close();
        } else {
            ((RichFunction) function).close();
        }
    }

    /** For functions that set no timer. */
    private static final class NoTimers implements Triggerable<Object, VoidNamespace> {
        @Override
        public void onEventTime(InternalTimer<Object, VoidNamespace> timer) {
            throw new IllegalStateException("a timer that nobody set: " + timer);
        }

        @Override
        public void onProcessingTime(InternalTimer<Object, VoidNamespace> timer) {
            throw new IllegalStateException("a timer that nobody set: " + timer);
        }
    }
}
