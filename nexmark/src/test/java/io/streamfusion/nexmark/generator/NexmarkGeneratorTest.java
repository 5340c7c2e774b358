package io.streamfusion.nexmark.generator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Instant;
import java.util.HexFormat;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class NexmarkGeneratorTest {
    private static final int EVENTS = 20_000;
    private static final NexmarkSettings SET_B =
            new NexmarkSettings(7, 100, Instant.parse("2024-03-10T07:58:20Z").toEpochMilli(), 100);

    @Test
    void dataSetAHasTheBytesOfTheKit() throws Exception {
        assertThat(sha256(NexmarkSettings.ofSeed(42), LongStream.range(0, EVENTS)))
                .isEqualTo("a2b3a0cc133334006b13f24110902a055edd5daf524225800e4391a901cbcdd3");
    }

    @Test
    void dataSetBHasTheBytesOfTheKit() throws Exception {
        assertThat(sha256(SET_B, LongStream.range(0, EVENTS)))
                .isEqualTo("0383f20a8d04392ecbce3905a83c8fa0e45d351b5ba65079123611975abfdeeb");
    }

    @ParameterizedTest
    @ValueSource(longs = {0, 1, 3, 4, 49, 50, 4_999, 5_000, 19_999, 1_234_567_890_123L})
    void anEventDoesNotDependOnWhatWasAskedBefore(long position) {
        NexmarkGenerator used = new NexmarkGenerator(SET_B);
        LongStream.range(0, 500).map(i -> i * 7919).forEach(used::event);
        assertThat(used.event(position)).isEqualTo(new NexmarkGenerator(SET_B).event(position));
    }

    @Test
    void shufflingReordersAStreamAndChangesNothingElse() {
        NexmarkSettings ordered = new NexmarkSettings(SET_B.seed(), 100, SET_B.baseMillis(), 1);
        NexmarkGenerator a = new NexmarkGenerator(ordered);
        NexmarkGenerator b = new NexmarkGenerator(SET_B);
        assertThat(LongStream.range(0, 1000).mapToObj(b::event))
                .containsExactlyInAnyOrderElementsOf(
                        LongStream.range(0, 1000).mapToObj(a::event).toList());
        assertThat(b.event(1)).isNotEqualTo(a.event(1));
    }

    @Test
    void settingsOutOfRangeAreNamed() {
        assertThatThrownBy(() -> new NexmarkSettings(1, 0, 0, 1))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("rate must be a positive number");
        assertThatThrownBy(() -> new NexmarkSettings(1, Double.NaN, 0, 1))
                .hasMessageContaining("rate must be a positive number");
        assertThatThrownBy(() -> new NexmarkSettings(1, 1, 0, 0))
                .hasMessageContaining("shuffle must lie between 1 and 1000000, not 0");
    }

    private static String sha256(NexmarkSettings settings, LongStream positions)
            throws NoSuchAlgorithmException {
        MessageDigest digest = MessageDigest.getInstance("SHA-256");
        NexmarkGenerator generator = new NexmarkGenerator(settings);
        NexmarkJson json = new NexmarkJson();
        positions.forEach(
                position ->
                        digest.update(
                                json.line(generator.event(position))
                                        .toString()
                                        .getBytes(StandardCharsets.UTF_8)));
        return HexFormat.of().formatHex(digest.digest());
    }
}
