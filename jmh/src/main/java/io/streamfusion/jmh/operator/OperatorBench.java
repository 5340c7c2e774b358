package io.streamfusion.jmh.operator;

import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;

/** One SQL operator: rows in, its state and its changelog out. The time is that of one row. */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class OperatorBench {
    /** Rows between two watermarks. */
    static final int ROWS = 1000;

    private static final long SEED = 20_260_201L;

    /** Bids of a join that are there at the same time; less than the feed has different ones. */
    private static final int JOINED = 50_000;

    /** Rows before the first measured one, as a multiple of the keys. */
    private static final int FILL = 2;

    /** A value of {@code state.backend.type}. */
    @Param({"hashmap"})
    public String backend;

    /** The operator. */
    @Param({"GROUP_AGGREGATE"})
    public OperatorCase operator;

    /** Auctions and bidders. */
    @Param({"100000"})
    public int keys;

    private OperatorHarness harness;
    private RowFeed bids;

    /** Opens the operator and fills its state. */
    @Setup(Level.Trial)
    public void fill() throws Exception {
        PlannedOperator planned = PlannedOperator.of(operator);
        SplittableRandom random = new SplittableRandom(SEED);
        harness = new OperatorHarness(planned, backend);
        bids = new RowFeed(planned.inputs().get(0), keys, false, random);
        if (planned.inputs().size() > 1) {
            RowFeed auctions = new RowFeed(planned.inputs().get(1), keys, true, random);
            while (auctions.rows() < keys) {
                harness.second(auctions.next());
            }
        }
        while (bids.rows() < (long) FILL * keys) {
            rows();
        }
    }

    /** Frees the backend. */
    @TearDown(Level.Trial)
    public void free() throws Exception {
        harness.close();
    }

    /** A thousand rows and a watermark; a join gets a bid and the retraction of an older one. */
    @Benchmark
    @OperationsPerInvocation(ROWS)
    public long rows() throws Exception {
        boolean join = operator == OperatorCase.REGULAR_JOIN;
        for (int i = 0; i < ROWS; i++) {
            if (join && i % 2 == 1 && bids.rows() > JOINED) {
                harness.first(bids.retracted(JOINED));
            } else {
                harness.first(bids.next());
            }
        }
        harness.watermark(bids.millis() - 1);
        return harness.emitted();
    }
}
