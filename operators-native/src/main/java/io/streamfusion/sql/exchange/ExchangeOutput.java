package io.streamfusion.sql.exchange;

import io.streamfusion.ffi.NativeBatch;
import io.streamfusion.ffi.NativeBudget;
import io.streamfusion.ffi.NativeSplitter;
import io.streamfusion.ffi.NativeSplitter.Piece;
import io.streamfusion.sql.runtime.NativeBatchRecord;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.function.Consumer;
import org.apache.flink.runtime.io.network.api.writer.ResultPartitionWriter;
import org.apache.flink.streaming.api.graph.NonChainedOutput;
import org.apache.flink.streaming.api.graph.StreamConfig;
import org.apache.flink.streaming.runtime.tasks.StreamTask;

/** What an operator does with its batches when there is an exchange behind it: splits them. */
public final class ExchangeOutput implements AutoCloseable {
    private final NativeSplitter splitter;

    private ExchangeOutput(NativeSplitter splitter) {
        this.splitter = splitter;
    }

    /**
     * Finds the exchange behind an operator, empty if there is none.
     *
     * @param budget what the pieces are charged to
     * @throws IllegalStateException when there is one and something else, too: only the exchange
     *     understands pieces
     */
    public static Optional<ExchangeOutput> behind(
            StreamConfig operator, StreamTask<?, ?> task, NativeBudget budget) {
        ClassLoader loader = task.getUserCodeClassLoader();
        List<NonChainedOutput> outputs = operator.getOperatorNonChainedOutputs(loader);
        Optional<NonChainedOutput> exchange =
                outputs.stream()
                        .filter(out -> out.getPartitioner() instanceof NativeChannelPartitioner)
                        .findFirst();
        if (exchange.isEmpty()) {
            return Optional.empty();
        }
        if (outputs.size() > 1 || !operator.getChainedOutputs(loader).isEmpty()) {
            throw new IllegalStateException(
                    operator.getOperatorName()
                            + " has a native exchange behind it although "
                            + NativeChannelPartitioner.SEVERAL_CONSUMERS);
        }
        int index =
                task.getConfiguration().getVertexNonChainedOutputs(loader).indexOf(exchange.get());
        ResultPartitionWriter writer = task.getEnvironment().getWriter(index);
        NativeChannelPartitioner partitioner =
                (NativeChannelPartitioner) exchange.get().getPartitioner();
        // As Flink tells its partitioners: the consumer's, which is not known when the job is
        // translated.
        int keyGroups = writer.getNumTargetKeyGroups();
        return Optional.of(
                of(
                        partitioner,
                        budget,
                        keyGroups > 0 ? keyGroups : partitioner.maxParallelism(),
                        writer.getNumberOfSubpartitions()));
    }

    /** The output for a consumer of so many key groups and tasks. */
    static ExchangeOutput of(
            NativeChannelPartitioner partitioner,
            NativeBudget budget,
            int maxParallelism,
            int channels) {
        return new ExchangeOutput(
                NativeSplitter.create(budget, partitioner.plan(), maxParallelism, channels));
    }

    /**
     * Emits the rows of a batch, which stays the caller's, as one record for each channel that gets
     * any.
     *
     * @return number of records
     */
    public int emit(NativeBatch batch, Consumer<NativeBatchRecord> output) {
        Queue<Piece> pieces = new ArrayDeque<>(splitter.split(batch));
        int records = pieces.size();
        try {
            while (!pieces.isEmpty()) {
                Piece piece = pieces.remove();
                try (NativeBatch rows = piece.batch()) {
                    output.accept(NativeBatchRecord.lendTo(piece.channel(), rows));
                }
            }
        } finally {
            pieces.forEach(piece -> piece.batch().close());
        }
        return records;
    }

    @Override
    public void close() {
        splitter.close();
    }
}
