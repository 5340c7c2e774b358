package io.streamfusion.matrix.kafka;

import static org.assertj.core.api.Assertions.assertThat;

import io.streamfusion.nexmark.generator.NexmarkSettings;
import java.nio.charset.StandardCharsets;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class CorpusTest {
    @Test
    void everyEventIsInOnePartition() {
        for (long events = 0; events < 20; events++) {
            Corpus corpus = new Corpus(NexmarkSettings.ofSeed(1), events, 4);
            assertThat(IntStream.range(0, 4).mapToLong(corpus::eventsIn).sum()).isEqualTo(events);
        }
        assertThat(new Corpus(NexmarkSettings.ofSeed(1), 6, 4).eventsIn(1)).isEqualTo(2);
        assertThat(new Corpus(NexmarkSettings.ofSeed(1), 6, 4).eventsIn(2)).isEqualTo(1);
    }

    @Test
    void otherEventsHaveAnotherTopic() {
        Corpus corpus = Corpus.ofDataSet("A", 4);
        assertThat(corpus.topic())
                .isEqualTo(new Corpus(NexmarkSettings.ofSeed(42), 20_000, 4).topic())
                .isNotEqualTo(new Corpus(NexmarkSettings.ofSeed(43), 20_000, 4).topic())
                .isNotEqualTo(new Corpus(NexmarkSettings.ofSeed(42), 20_001, 4).topic())
                .isNotEqualTo(Corpus.ofDataSet("B", 4).topic());
    }

    @Test
    void aRecordHasNoLineFeed() {
        assertThat(new String(Corpus.bytes("{}\n"), StandardCharsets.UTF_8)).isEqualTo("{}");
    }
}
