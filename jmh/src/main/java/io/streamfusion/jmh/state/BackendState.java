package io.streamfusion.jmh.state;

import java.util.SplittableRandom;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;

/**
 * What the benchmarks of states have in common: an open backend and a stream of random keys.
 *
 * <p>The random numbers are the same in every fork, so all backends see the same keys.
 */
@State(Scope.Thread)
public abstract class BackendState {
    private static final long SEED = 20_260_101L;

    /** A value of {@code state.backend.type}. */
    @Param({"hashmap"})
    public String backend;

    final SplittableRandom random = new SplittableRandom(SEED);
    BenchBackend fixture;

    final void open() throws Exception {
        fixture = BenchBackend.open(backend);
    }

    final void close() throws Exception {
        fixture.close();
    }

    final void selectKey(long index) {
        fixture.keyed().setCurrentKey(BenchRows.key(index));
    }

    /** Makes one of the keys {@code 0 .. keys-1} the current one and returns its index. */
    final int selectRandomKey(int keys) {
        int index = random.nextInt(keys);
        selectKey(index);
        return index;
    }
}
