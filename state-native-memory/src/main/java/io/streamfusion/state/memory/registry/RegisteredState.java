package io.streamfusion.state.memory.registry;

import io.streamfusion.ffi.NativeStateKind;
import org.apache.flink.runtime.state.RegisteredStateMetaInfoBase;

/** One registered state or timer queue: its native table and its Flink meta information. */
public final class RegisteredState {
    private final int id;
    private final NativeStateKind kind;
    private RegisteredStateMetaInfoBase metaInfo;

    RegisteredState(int id, NativeStateKind kind, RegisteredStateMetaInfoBase metaInfo) {
        this.id = id;
        this.kind = kind;
        this.metaInfo = metaInfo;
    }

    /** Identifier of the native table. */
    public int id() {
        return id;
    }

    /** Name of the state. */
    public String name() {
        return metaInfo.getName();
    }

    /** Layout of the native table. */
    public NativeStateKind kind() {
        return kind;
    }

    /** Name, serializers and kind as Flink knows them. */
    public RegisteredStateMetaInfoBase metaInfo() {
        return metaInfo;
    }

    /** Replaces the meta information, after a serializer was updated. */
    public void setMetaInfo(RegisteredStateMetaInfoBase newMetaInfo) {
        this.metaInfo = newMetaInfo;
    }
}
