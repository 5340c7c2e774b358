package io.streamfusion.nexmark.quickstart;

import static org.assertj.core.api.Assertions.assertThat;

import io.streamfusion.nexmark.quickstart.Progress.Sample;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ProgressTest {
    private static final OptionalLong NOTHING = OptionalLong.empty();

    @Test
    void aLineTellsTheSpeedSinceTheOneBefore() {
        Sample before = new Sample(1_000_000_000, 10_000, NOTHING, NOTHING, null);
        Sample now =
                new Sample(
                        3_000_000_000L,
                        50_000,
                        OptionalLong.of(1234),
                        OptionalLong.of(3 << 20),
                        null);
        assertThat(Progress.line(before, now))
                .startsWith("   3.0 s")
                .contains(" 50,000 events", " 20,000/s", " 1,234 entries 3.0 MiB")
                .endsWith("no checkpoint yet");
    }

    @Test
    void whatABackendDoesNotReportIsNotShownAsZero() {
        Sample start = new Sample(0, 0, NOTHING, NOTHING, null);
        assertThat(Progress.line(start, new Sample(1, 0, NOTHING, NOTHING, null)))
                .contains("state not reported")
                .doesNotContain("entries");
    }

    @ParameterizedTest
    @CsvSource({
        "0, 0 B",
        "1023, 1023 B",
        "1024, 1.0 KiB",
        "1572864, 1.5 MiB",
        "9223372036854775807, 8388608.0 TiB"
    })
    void bytesHaveAUnit(long bytes, String text) {
        assertThat(Progress.bytes(bytes)).isEqualTo(text);
    }
}
