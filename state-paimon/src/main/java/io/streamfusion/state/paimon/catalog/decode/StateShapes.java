package io.streamfusion.state.paimon.catalog.decode;

import io.streamfusion.ffi.NativeStateKind;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.api.common.typeutils.TypeSerializerSnapshot;
import org.apache.flink.api.common.typeutils.base.ListSerializer;
import org.apache.flink.api.common.typeutils.base.MapSerializer;
import org.apache.flink.core.memory.DataInputDeserializer;
import org.apache.flink.runtime.state.CompositeKeySerializationUtils;
import org.apache.flink.runtime.state.KeyedBackendSerializationProxy;
import org.apache.flink.runtime.state.VoidNamespaceSerializer;
import org.apache.flink.runtime.state.metainfo.StateMetaInfoSnapshot;
import org.apache.flink.runtime.state.metainfo.StateMetaInfoSnapshot.CommonOptionsKeys;
import org.apache.flink.runtime.state.metainfo.StateMetaInfoSnapshot.CommonSerializerKeys;
import org.apache.flink.runtime.state.ttl.TtlStateFactory.TtlSerializer;
import org.apache.flink.streaming.api.operators.TimerSerializer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Finds the serializers of the states of a backend. Where one cannot be restored, for want of a
 * class of the user, there are bytes.
 */
public final class StateShapes {
    private static final Logger LOG = LoggerFactory.getLogger(StateShapes.class);

    private StateShapes() {}

    /**
     * The shapes of all states of a backend.
     *
     * @param classLoader finds the user's classes
     * @return in the order of {@code states}
     */
    public static List<StateShape> of(BackendStates states, ClassLoader classLoader) {
        try {
            KeyedBackendSerializationProxy<Object> metadata =
                    new KeyedBackendSerializationProxy<>(classLoader);
            metadata.read(new DataInputDeserializer(states.metadata()));
            Optional<TypeSerializer<?>> key = restore(metadata.getKeySerializerSnapshot());
            List<StateMetaInfoSnapshot> snapshots = metadata.getStateMetaInfoSnapshots();
            List<StateShape> shapes = new ArrayList<>();
            for (BackendStates.State state : states.states()) {
                shapes.add(shape(state, key, snapshots.get(shapes.size())));
            }
            return shapes;
        } catch (IOException | RuntimeException | LinkageError e) {
            LOG.warn(
                    "The serializers of {} cannot be read: their state is shown as bytes.",
                    states.states(),
                    e);
            return states.states().stream()
                    .map(state -> StateShape.ofBytes(state.name(), state.kind()))
                    .toList();
        }
    }

    private static StateShape shape(
            BackendStates.State state,
            Optional<TypeSerializer<?>> key,
            StateMetaInfoSnapshot snapshot) {
        Optional<TypeSerializer<?>> value =
                restore(snapshot.getTypeSerializerSnapshot(CommonSerializerKeys.VALUE_SERIALIZER));
        if (state.kind() == NativeStateKind.TIMER) {
            return value.isPresent() && value.get() instanceof TimerSerializer<?, ?> timer
                    ? timer(state, timer)
                    : StateShape.ofBytes(state.name(), state.kind());
        }
        Optional<TypeSerializer<?>> namespace =
                restore(
                        snapshot.getTypeSerializerSnapshot(
                                CommonSerializerKeys.NAMESPACE_SERIALIZER));
        Optional<TypeSerializer<?>> userKey = Optional.empty();
        if (state.kind() == NativeStateKind.LIST) {
            value =
                    value.flatMap(
                            s ->
                                    s instanceof ListSerializer<?> list
                                            ? Optional.of(list.getElementSerializer())
                                            : Optional.empty());
        } else if (state.kind() == NativeStateKind.MAP) {
            Optional<MapSerializer<?, ?>> map =
                    value.flatMap(
                            s ->
                                    s instanceof MapSerializer<?, ?> entries
                                            ? Optional.of(entries)
                                            : Optional.empty());
            userKey = map.map(MapSerializer::getKeySerializer);
            value = map.map(MapSerializer::getValueSerializer);
        }
        boolean stamped = value.isPresent() && value.get() instanceof TtlSerializer;
        return new StateShape(
                state.name(),
                state.kind(),
                title(snapshot, state.kind()),
                shape(key),
                shape(namespace),
                !namespace.map(StateShapes::isVoid).orElse(false),
                isAmbiguous(key, namespace),
                shape(userKey),
                stamped ? behindStamp(value.get()) : shape(value),
                stamped);
    }

    private static StateShape timer(BackendStates.State state, TimerSerializer<?, ?> serializer) {
        TypeSerializer<?> namespace = serializer.getNamespaceSerializer();
        return new StateShape(
                state.name(),
                state.kind(),
                state.kind().name(),
                SerializerShapes.of(serializer.getKeySerializer()),
                SerializerShapes.of(namespace),
                !isVoid(namespace),
                false,
                Shape.unknown(),
                Shape.unknown(),
                false);
    }

    private static String title(StateMetaInfoSnapshot snapshot, NativeStateKind kind) {
        String type = snapshot.getOption(CommonOptionsKeys.KEYED_STATE_TYPE);
        return type == null ? kind.name() : type;
    }

    private static boolean isAmbiguous(
            Optional<TypeSerializer<?>> key, Optional<TypeSerializer<?>> namespace) {
        return key.isPresent()
                && namespace.isPresent()
                && CompositeKeySerializationUtils.isAmbiguousKeyPossible(
                        key.get(), namespace.get());
    }

    private static boolean isVoid(TypeSerializer<?> namespace) {
        return namespace instanceof VoidNamespaceSerializer;
    }

    private static Shape behindStamp(TypeSerializer<?> ttl) {
        try {
            return SerializerShapes.of(SerializerShapes.nested(ttl).get(1));
        } catch (RuntimeException | LinkageError e) {
            LOG.warn("Values of {} are shown as bytes.", ttl, e);
            return Shape.unknown();
        }
    }

    private static Shape shape(Optional<TypeSerializer<?>> serializer) {
        try {
            return serializer.map(SerializerShapes::of).orElseGet(Shape::unknown);
        } catch (RuntimeException | LinkageError e) {
            LOG.warn("Values of {} are shown as bytes.", serializer, e);
            return Shape.unknown();
        }
    }

    private static Optional<TypeSerializer<?>> restore(TypeSerializerSnapshot<?> snapshot) {
        try {
            return Optional.ofNullable(snapshot).map(TypeSerializerSnapshot::restoreSerializer);
        } catch (RuntimeException | LinkageError e) {
            LOG.warn("Values written by {} are shown as bytes.", snapshot, e);
            return Optional.empty();
        }
    }
}
