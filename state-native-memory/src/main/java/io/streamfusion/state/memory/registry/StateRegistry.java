package io.streamfusion.state.memory.registry;

import io.streamfusion.ffi.NativeStateKind;
import io.streamfusion.ffi.NativeStore;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import javax.annotation.Nullable;
import org.apache.flink.api.common.state.StateDescriptor;
import org.apache.flink.runtime.state.RegisteredKeyValueStateBackendMetaInfo;
import org.apache.flink.runtime.state.RegisteredPriorityQueueStateBackendMetaInfo;
import org.apache.flink.runtime.state.RegisteredStateMetaInfoBase;
import org.apache.flink.runtime.state.metainfo.StateMetaInfoSnapshot;
import org.apache.flink.util.StateMigrationException;

/**
 * The states and timer queues of one keyed backend by name. Restoring fills it with what the
 * checkpoint held; creating states adds to it and updates serializers. Task thread only.
 */
public final class StateRegistry {
    private static final int NEXT_FREE = -1;

    private final NativeStore store;
    private final Map<String, RegisteredState> states = new LinkedHashMap<>();

    /** Creates an empty registry of the tables of {@code store}. */
    public StateRegistry(NativeStore store) {
        this.store = store;
    }

    /** The state of that name, or null. */
    @Nullable
    public RegisteredState get(String name) {
        return states.get(name);
    }

    /** True until the first state is registered. */
    public boolean isEmpty() {
        return states.isEmpty();
    }

    /** All states, ordered by {@link RegisteredState#id()}. */
    public Collection<RegisteredState> states() {
        List<RegisteredState> ordered = new ArrayList<>(states.values());
        ordered.sort(Comparator.comparingInt(RegisteredState::id));
        return ordered;
    }

    /** Registers a new state and creates its native table. */
    public RegisteredState register(RegisteredStateMetaInfoBase metaInfo) {
        return register(metaInfo, NEXT_FREE);
    }

    /**
     * Registers a state found in a checkpoint; the same state may be met in several handles.
     *
     * @param snapshot its meta information in the checkpoint
     * @param wantId identifier its native table must get, or -1 for the next free one
     * @return the registered state, an already registered one of that name unchanged
     * @throws StateMigrationException when a state of that name but of another kind is registered
     */
    public RegisteredState registerRestored(StateMetaInfoSnapshot snapshot, int wantId)
            throws StateMigrationException {
        RegisteredStateMetaInfoBase metaInfo =
                RegisteredKeyValueStateBackendMetaInfo.fromMetaInfoSnapshot(snapshot);
        RegisteredState known = states.get(snapshot.getName());
        if (known == null) {
            return register(metaInfo, wantId);
        }
        if (known.kind() != kindOf(metaInfo)) {
            throw new StateMigrationException(
                    "State '"
                            + snapshot.getName()
                            + "' is a "
                            + known.kind()
                            + " in one part of the checkpoint and a "
                            + kindOf(metaInfo)
                            + " in another.");
        }
        return known;
    }

    /** Meta information of all states as of now, ordered by {@link RegisteredState#id()}. */
    public List<StateMetaInfoSnapshot> snapshotMetaInfos() {
        List<StateMetaInfoSnapshot> snapshots = new ArrayList<>(states.size());
        for (RegisteredState state : states()) {
            snapshots.add(state.metaInfo().snapshot());
        }
        return snapshots;
    }

    private RegisteredState register(RegisteredStateMetaInfoBase metaInfo, int wantId) {
        NativeStateKind kind = kindOf(metaInfo);
        int id = store.registerState(kind, metaInfo.getName(), wantId);
        RegisteredState state = new RegisteredState(id, kind, metaInfo);
        states.put(metaInfo.getName(), state);
        return state;
    }

    private static NativeStateKind kindOf(RegisteredStateMetaInfoBase metaInfo) {
        if (metaInfo instanceof RegisteredPriorityQueueStateBackendMetaInfo) {
            return NativeStateKind.TIMER;
        }
        if (metaInfo instanceof RegisteredKeyValueStateBackendMetaInfo<?, ?> keyValue) {
            return kindOf(keyValue.getStateType(), metaInfo.getName());
        }
        throw new IllegalArgumentException(
                "State '" + metaInfo.getName() + "' is neither keyed state nor a timer queue.");
    }

    private static NativeStateKind kindOf(StateDescriptor.Type type, String name) {
        return switch (type) {
            case VALUE, REDUCING, AGGREGATING -> NativeStateKind.VALUE;
            case LIST -> NativeStateKind.LIST;
            case MAP -> NativeStateKind.MAP;
            default ->
                    throw new IllegalArgumentException(
                            "State '" + name + "' of type " + type + " is not supported.");
        };
    }
}
