package io.streamfusion.matrix.verify;

import static org.assertj.core.api.Assertions.assertThat;

import io.streamfusion.matrix.kafka.Corpus;
import io.streamfusion.nexmark.generator.NexmarkEvent.Bid;
import io.streamfusion.nexmark.generator.NexmarkGenerator;
import io.streamfusion.nexmark.generator.NexmarkSettings;
import java.util.List;
import org.junit.jupiter.api.Test;

class ClockWindowsTest {
    private static final Corpus CORPUS = new Corpus(NexmarkSettings.ofSeed(42), 50, 4);
    private static final long SOME_BIDDER =
            ((Bid) new NexmarkGenerator(CORPUS.settings()).event(49)).bidder();

    private final ClockWindows windows = new ClockWindows(CORPUS);

    @Test
    void ofFiftyEventsAreFortySixBids() {
        assertThat(windows.bids()).isEqualTo(46);
    }

    @Test
    void aWindowThatIsMissingIsNoFault() {
        assertThat(windows.fault(List.of())).isEmpty();
        assertThat(windows.fault(List.of(row(1, "10", "20")))).isEmpty();
        assertThat(windows.counted(List.of(row(3, "10", "20"), row(4, "20", "30")))).isEqualTo(7);
    }

    @Test
    void moreThanTheInputIsAFault() {
        assertThat(windows.fault(List.of(row(47, "10", "20"))))
                .hasValueSatisfying(fault -> assertThat(fault).contains("47 were counted"));
        assertThat(windows.fault(List.of("999|1|" + time("10") + "|" + time("20"))))
                .hasValueSatisfying(fault -> assertThat(fault).contains("has 0 bids"));
    }

    @Test
    void aSecondCountOfOneWindowIsAFault() {
        assertThat(windows.fault(List.of(row(1, "10", "20"), row(1, "10", "20"))))
                .hasValueSatisfying(fault -> assertThat(fault).contains("second count"));
    }

    @Test
    void windowsAreWhereTheyBelong() {
        assertThat(windows.fault(List.of(row(1, "11", "21")))).isPresent();
        assertThat(windows.fault(List.of(row(1, "10", "30")))).isPresent();
    }

    private static String row(int bids, String start, String end) {
        return SOME_BIDDER + "|" + bids + "|" + time(start) + "|" + time(end);
    }

    private static String time(String second) {
        return "2026-01-01 00:00:" + second + ".000";
    }
}
