package io.streamfusion.state.memory.restore;

import io.streamfusion.ffi.NativeStore;
import io.streamfusion.state.memory.registry.StateRegistry;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.api.common.typeutils.TypeSerializerSchemaCompatibility;
import org.apache.flink.api.common.typeutils.TypeSerializerSnapshot;
import org.apache.flink.core.fs.CloseableRegistry;
import org.apache.flink.runtime.state.KeyGroupRange;
import org.apache.flink.runtime.state.StateSerializerProvider;
import org.apache.flink.util.StateMigrationException;

/**
 * The empty backend that a restore fills.
 *
 * @param <K> type of the keys
 * @param store receives the rows
 * @param registry receives the states
 * @param keyGroupRange key groups of the backend; others are not read
 * @param numberOfKeyGroups maximum parallelism of the job
 * @param keySerializer knows the job's key serializer and is told the restored one
 * @param userClassLoader finds the classes of serializers
 * @param cancellation closes the streams when the task is cancelled
 */
public record RestoreTarget<K>(
        NativeStore store,
        StateRegistry registry,
        KeyGroupRange keyGroupRange,
        int numberOfKeyGroups,
        StateSerializerProvider<K> keySerializer,
        ClassLoader userClassLoader,
        CloseableRegistry cancellation) {

    /**
     * Tells the provider which key serializer wrote the checkpoint.
     *
     * @throws StateMigrationException when keys written by it cannot be used as they are: rewriting
     *     them could move them to other key groups
     */
    void checkKeySerializer(TypeSerializerSnapshot<K> restored) throws StateMigrationException {
        TypeSerializer<K> current = keySerializer.currentSchemaSerializer();
        TypeSerializerSchemaCompatibility<K> compatibility =
                keySerializer.setPreviousSerializerSnapshotForRestoredState(restored);
        if (compatibility.isIncompatible() || compatibility.isCompatibleAfterMigration()) {
            throw new StateMigrationException(
                    "The key serializer "
                            + current
                            + " of the job is not compatible with the key serializer "
                            + keySerializer.previousSchemaSerializer()
                            + " that wrote the state; keys cannot be migrated.");
        }
    }

    /** This target with a provider that can be told once more which serializer wrote the state. */
    RestoreTarget<K> withKeySerializerAgain() {
        return new RestoreTarget<>(
                store,
                registry,
                keyGroupRange,
                numberOfKeyGroups,
                StateSerializerProvider.fromNewRegisteredSerializer(
                        keySerializer.currentSchemaSerializer()),
                userClassLoader,
                cancellation);
    }
}
