package io.streamfusion.state.memory.keyed;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import javax.annotation.Nullable;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.core.memory.DataInputDeserializer;
import org.apache.flink.runtime.state.ListDelimitedSerializer;
import org.apache.flink.runtime.state.ttl.TtlUtils;
import org.apache.flink.runtime.state.ttl.TtlValue;

/**
 * Leaves expired elements out of the lists of one state while a full snapshot is written. The store
 * does this itself for other states, but only a serializer knows where an element of a list ends.
 * Not thread-safe; {@link #copy()} for each snapshot.
 */
final class ListExpiry {
    private static final int DELIMITER = ',';

    private final TypeSerializer<? extends TtlValue<?>> elementSerializer;
    private final long ttlMillis;
    private final DataInputDeserializer input = new DataInputDeserializer();

    ListExpiry(TypeSerializer<? extends TtlValue<?>> elementSerializer, long ttlMillis) {
        this.elementSerializer = elementSerializer;
        this.ttlMillis = ttlMillis;
    }

    ListExpiry copy() {
        return new ListExpiry(elementSerializer.duplicate(), ttlMillis);
    }

    /** The elements of {@code joined} that live at {@code now}; null when none does. */
    @Nullable
    byte[] living(byte[] joined, long now) throws IOException {
        ByteArrayOutputStream living = new ByteArrayOutputStream(joined.length);
        input.setBuffer(joined);
        int start = 0;
        TtlValue<?> element;
        while ((element = ListDelimitedSerializer.deserializeNextElement(input, elementSerializer))
                != null) {
            int end = input.available() > 0 ? input.getPosition() - 1 : joined.length;
            if (!TtlUtils.expired(element.getLastAccessTimestamp(), ttlMillis, now)) {
                if (living.size() > 0) {
                    living.write(DELIMITER);
                }
                living.write(joined, start, end - start);
            }
            start = input.getPosition();
        }
        return living.size() == 0 ? null : living.toByteArray();
    }
}
