package io.streamfusion.state.memory.keyed;

import java.io.IOException;
import javax.annotation.Nullable;
import org.apache.flink.api.common.state.v2.State;
import org.apache.flink.api.common.state.v2.StateDescriptor;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.runtime.asyncprocessing.RecordContext;
import org.apache.flink.runtime.asyncprocessing.StateExecutionController;
import org.apache.flink.runtime.asyncprocessing.StateRequestHandler;
import org.apache.flink.runtime.state.internal.InternalAggregatingState;
import org.apache.flink.runtime.state.internal.InternalListState;
import org.apache.flink.runtime.state.internal.InternalMapState;
import org.apache.flink.runtime.state.internal.InternalReducingState;
import org.apache.flink.runtime.state.internal.InternalValueState;
import org.apache.flink.runtime.state.v2.StateDescriptorUtils;
import org.apache.flink.runtime.state.v2.adaptor.AggregatingStateAdaptor;
import org.apache.flink.runtime.state.v2.adaptor.AsyncKeyedStateBackendAdaptor;
import org.apache.flink.runtime.state.v2.adaptor.ListStateAdaptor;
import org.apache.flink.runtime.state.v2.adaptor.MapStateAdaptor;
import org.apache.flink.runtime.state.v2.adaptor.ReducingStateAdaptor;
import org.apache.flink.runtime.state.v2.adaptor.ValueStateAdaptor;
import org.apache.flink.runtime.state.v2.internal.InternalKeyedState;

/**
 * Serves State V2 with a synchronous keyed backend, as Flink's adaptor does, but does three things
 * that one does not: it passes on its end, without which native memory would stay; it keeps a
 * state's time to live; and it follows a controller that announces key switches to nobody.
 */
public final class DisposingAsyncBackend<K> extends AsyncKeyedStateBackendAdaptor<K> {
    private final NativeKeyedStateBackend<K> wrapped;

    /** The record whose key is the current one. */
    @Nullable private RecordContext<K> context;

    /** Wraps a backend and owns it. */
    public DisposingAsyncBackend(NativeKeyedStateBackend<K> wrapped) {
        super(wrapped);
        this.wrapped = wrapped;
    }

    @Override
    public void setup(StateRequestHandler stateRequestHandler) {
        if (stateRequestHandler instanceof StateExecutionController<?> controller) {
            wrapped.setKeySource(() -> follow(controller.getCurrentContext()));
        }
    }

    // Unchecked: the controller is the one of this backend's operator. A context is one record's,
    // so
    // that another object is another record.
    @SuppressWarnings({"unchecked", "ReferenceEquality"})
    private void follow(@Nullable RecordContext<?> current) {
        if (current != null && current != context) {
            switchContext((RecordContext<K>) current);
        }
    }

    @Override
    public void switchContext(@Nullable RecordContext<K> newContext) {
        context = newContext;
        super.switchContext(newContext);
    }

    @Override
    @SuppressWarnings("unchecked")
    public <N, S extends State, SV> S getOrCreateKeyedState(
            N defaultNamespace,
            TypeSerializer<N> namespaceSerializer,
            StateDescriptor<SV> stateDesc)
            throws Exception {
        return (S) createStateInternal(defaultNamespace, namespaceSerializer, stateDesc);
    }

    @Override
    @SuppressWarnings({"rawtypes", "unchecked"})
    public <N, S extends InternalKeyedState, SV> S createStateInternal(
            N defaultNamespace,
            TypeSerializer<N> namespaceSerializer,
            StateDescriptor<SV> stateDesc)
            throws Exception {
        org.apache.flink.api.common.state.StateDescriptor descriptor =
                StateDescriptorUtils.transformFromV2ToV1(stateDesc);
        if (stateDesc.getTtlConfig().isEnabled()) {
            descriptor.enableTimeToLive(stateDesc.getTtlConfig());
        }
        org.apache.flink.api.common.state.State state =
                wrapped.getPartitionedState(defaultNamespace, namespaceSerializer, descriptor);
        return (S)
                switch (descriptor.getType()) {
                    case VALUE -> new ValueStateAdaptor((InternalValueState) state);
                    case LIST -> new ListStateAdaptor((InternalListState) state);
                    case MAP -> new MapStateAdaptor((InternalMapState) state);
                    case REDUCING -> new ReducingStateAdaptor((InternalReducingState) state);
                    case AGGREGATING ->
                            new AggregatingStateAdaptor((InternalAggregatingState) state);
                    default ->
                            throw new UnsupportedOperationException(
                                    "State of type " + descriptor.getType() + " is not supported.");
                };
    }

    @Override
    public void dispose() {
        wrapped.dispose();
    }

    @Override
    public void close() throws IOException {
        wrapped.close();
    }
}
