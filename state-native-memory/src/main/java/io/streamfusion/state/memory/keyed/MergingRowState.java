package io.streamfusion.state.memory.keyed;

import java.io.IOException;
import java.util.Collection;
import javax.annotation.Nullable;
import org.apache.flink.runtime.state.internal.InternalMergingState;

/**
 * A single row that grows by merging: reducing and aggregating state.
 *
 * @param <I> what is added
 * @param <A> what the row holds
 * @param <O> what is read
 */
abstract class MergingRowState<K, N, I, A, O> extends SingleRowState<K, N, A>
        implements InternalMergingState<K, N, I, A, O> {

    MergingRowState(NativeKeyedStateBackend<K> backend, StateSpec<N, A> spec) {
        super(backend, spec);
    }

    /** Adds one input to what is there; null when nothing is. */
    abstract A append(@Nullable A present, I input) throws Exception;

    /** Merges what two namespaces hold. */
    abstract A merge(A first, A second) throws Exception;

    /** What a reader sees of the row. */
    abstract O result(A present);

    @Override
    @Nullable
    public final O get() throws IOException {
        A present = read();
        return present == null ? null : result(present);
    }

    @Override
    public final void add(@Nullable I input) throws Exception {
        if (input == null) {
            clear();
            return;
        }
        write(append(read(), input));
    }

    @Override
    @Nullable
    public final A getInternal() throws IOException {
        return read();
    }

    @Override
    public final void updateInternal(@Nullable A value) throws IOException {
        write(value);
    }

    @Override
    public final void mergeNamespaces(N target, @Nullable Collection<N> sources) throws Exception {
        if (sources == null || sources.isEmpty()) {
            return;
        }
        N before = currentNamespace();
        A merged = null;
        for (N source : sources) {
            setCurrentNamespace(source);
            A part = read();
            if (part != null) {
                clear();
                merged = merged == null ? part : merge(merged, part);
            }
        }
        if (merged != null) {
            setCurrentNamespace(target);
            A present = read();
            write(present == null ? merged : merge(present, merged));
        }
        setCurrentNamespace(before);
    }
}
