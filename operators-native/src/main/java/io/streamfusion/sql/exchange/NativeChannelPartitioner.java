package io.streamfusion.sql.exchange;

import io.streamfusion.plan.proto.Exchange;
import io.streamfusion.sql.plan.PlanCheck;
import io.streamfusion.sql.plan.TypeEncoder;
import io.streamfusion.sql.runtime.NativeBatchRecord;
import java.util.Arrays;
import java.util.Objects;
import java.util.Optional;
import org.apache.flink.runtime.io.network.api.writer.SubtaskStateMapper;
import org.apache.flink.runtime.plugable.SerializationDelegate;
import org.apache.flink.runtime.state.KeyGroupRangeAssignment;
import org.apache.flink.streaming.runtime.partitioner.ConfigurableStreamPartitioner;
import org.apache.flink.streaming.runtime.partitioner.GlobalPartitioner;
import org.apache.flink.streaming.runtime.partitioner.KeyGroupStreamPartitioner;
import org.apache.flink.streaming.runtime.partitioner.StreamPartitioner;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;
import org.apache.flink.table.types.logical.RowType;

/**
 * Sends a batch to the channel that its producer has split it for: stands for a {@link
 * KeyGroupStreamPartitioner} on an edge of batches.
 *
 * <p>A partitioner chooses one channel for a record, and the rows of a batch belong to many. So the
 * producing operator finds this partitioner on its output (see {@link ExchangeOutput}), which also
 * carries what the split needs to know: type of the rows, key columns, and the consumer's max
 * parallelism.
 */
public final class NativeChannelPartitioner extends StreamPartitioner<Object>
        implements ConfigurableStreamPartitioner {
    /** Why the exchange behind an operator with several consumers stays on rows. */
    public static final String SEVERAL_CONSUMERS =
            "the operator in front of the exchange has other consumers, too";

    private static final long serialVersionUID = 1L;

    private final byte[] plan;
    private int maxParallelism;

    private NativeChannelPartitioner(byte[] plan, int maxParallelism) {
        this.plan = plan;
        this.maxParallelism = maxParallelism;
        disableUnalignedCheckpoints();
    }

    /**
     * The partitioner of batches that does for them what {@code stock} does for rows.
     *
     * @param input type of the rows
     * @param keys positions of the key's columns, in the order of the key; not read for an edge to
     *     one task
     * @throws IllegalArgumentException when {@code stock} is of another kind than the planner's
     *     exchanges have
     */
    public static StreamPartitioner<Object> of(
            StreamPartitioner<?> stock, RowType input, int[] keys) {
        if (stock instanceof GlobalPartitioner<?>) {
            // All rows have one way, so whole batches go it. Not stock's object: it is not for us
            // to change.
            GlobalPartitioner<Object> global = new GlobalPartitioner<>();
            global.disableUnalignedCheckpoints();
            return global;
        }
        if (!(stock instanceof KeyGroupStreamPartitioner<?, ?> hash)) {
            throw new IllegalArgumentException("an exchange of kind " + stock);
        }
        return new NativeChannelPartitioner(plan(input, keys), hash.getMaxParallelism());
    }

    /**
     * Why the rows of an exchange cannot be split natively, in words for users; empty when they
     * can. Arguments as of {@link #of}.
     */
    public static Optional<String> reasonAgainst(
            StreamPartitioner<?> stock, RowType input, int[] keys) {
        if (stock instanceof GlobalPartitioner<?>) {
            return Optional.empty();
        }
        if (!(stock instanceof KeyGroupStreamPartitioner<?, ?>)) {
            return Optional.of("an exchange of kind " + stock);
        }
        return PlanCheck.reason(PlanCheck.Kind.EXCHANGE, plan(input, keys));
    }

    /** The bytes of a message {@code Exchange}. */
    private static byte[] plan(RowType input, int[] keys) {
        Exchange.Builder message = Exchange.newBuilder().setInput(TypeEncoder.encode(input));
        Arrays.stream(keys).forEach(message::addKeys);
        return message.build().toByteArray();
    }

    /** The bytes of the message {@code Exchange} that says what the keys are. */
    byte[] plan() {
        return plan;
    }

    /** Number of key groups of the consumer, as known by now. */
    int maxParallelism() {
        return maxParallelism;
    }

    @Override
    public void configure(int maxParallelism) {
        KeyGroupRangeAssignment.checkParallelismPreconditions(maxParallelism);
        this.maxParallelism = maxParallelism;
    }

    @Override
    public int selectChannel(SerializationDelegate<StreamRecord<Object>> record) {
        int channel = ((NativeBatchRecord) record.getInstance().getValue()).channel();
        if (channel < 0 || channel >= numberOfChannels) {
            throw new IllegalStateException(
                    "A batch for channel " + channel + " of " + numberOfChannels + ".");
        }
        return channel;
    }

    @Override
    public SubtaskStateMapper getDownstreamSubtaskStateMapper() {
        return SubtaskStateMapper.RANGE;
    }

    @Override
    public StreamPartitioner<Object> copy() {
        return this;
    }

    @Override
    public boolean isPointwise() {
        return false;
    }

    /** As stock's: it is the name of the edge in plans. */
    @Override
    public String toString() {
        return "HASH";
    }

    @Override
    public boolean equals(Object other) {
        return super.equals(other)
                && other instanceof NativeChannelPartitioner that
                && maxParallelism == that.maxParallelism
                && Arrays.equals(plan, that.plan);
    }

    @Override
    public int hashCode() {
        return Objects.hash(super.hashCode(), maxParallelism, Arrays.hashCode(plan));
    }
}
