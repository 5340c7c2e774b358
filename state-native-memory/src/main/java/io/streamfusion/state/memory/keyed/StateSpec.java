package io.streamfusion.state.memory.keyed;

import javax.annotation.Nullable;
import org.apache.flink.api.common.state.StateDescriptor;
import org.apache.flink.api.common.typeutils.TypeSerializer;

/**
 * What a state object is made of.
 *
 * @param id native table
 * @param descriptor the user's descriptor; brings the functions of reducing and aggregating states
 * @param namespaceSerializer current serializer of namespaces
 * @param valueSerializer current serializer of values
 */
record StateSpec<N, V>(
        int id,
        StateDescriptor<?, V> descriptor,
        TypeSerializer<N> namespaceSerializer,
        TypeSerializer<V> valueSerializer) {

    @Nullable
    V defaultValue() {
        return descriptor.getDefaultValue();
    }
}
