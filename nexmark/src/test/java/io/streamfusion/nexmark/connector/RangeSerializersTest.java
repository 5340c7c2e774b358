package io.streamfusion.nexmark.connector;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

class RangeSerializersTest {
    private final RangeSerializers.OfRange ranges = new RangeSerializers.OfRange();
    private final RangeSerializers.OfEnumerator states = new RangeSerializers.OfEnumerator();

    @Test
    void aRangeSurvives() throws IOException {
        EventRange range = new EventRange(17, Long.MAX_VALUE);
        assertThat(ranges.deserialize(1, ranges.serialize(range))).isEqualTo(range);
    }

    @Test
    void theEnumeratorSurvives() throws IOException {
        EnumeratorState state =
                new EnumeratorState(9, List.of(new EventRange(1, 2), new EventRange(4, 8)));
        assertThat(states.deserialize(1, states.serialize(state))).isEqualTo(state);
    }

    @Test
    void whatIsCutShortIsRefused() {
        byte[] range = ranges.serialize(new EventRange(1, 2));
        assertThatThrownBy(() -> ranges.deserialize(1, Arrays.copyOf(range, 15)))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("cut short");
        byte[] state = states.serialize(new EnumeratorState(9, List.of(new EventRange(1, 2))));
        assertThatThrownBy(() -> states.deserialize(1, Arrays.copyOf(state, 20)))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("cut short");
    }

    @Test
    void anotherVersionIsRefused() {
        byte[] range = ranges.serialize(new EventRange(1, 2));
        assertThatThrownBy(() -> ranges.deserialize(2, range))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("has version 2, this connector reads version 1");
    }
}
