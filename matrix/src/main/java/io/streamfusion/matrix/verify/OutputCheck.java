package io.streamfusion.matrix.verify;

import io.streamfusion.matrix.kafka.Corpus;
import io.streamfusion.nexmark.query.NexmarkQuery;
import io.streamfusion.nexmark.query.ResultOracle;
import io.streamfusion.nexmark.query.ResultOracle.Known;
import io.streamfusion.nexmark.query.TiedRanks;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Compares the committed outputs of two runs of a query. One thread an instance. */
public final class OutputCheck {
    private final OutputReader reader;
    private final Corpus corpus;
    private final Optional<String> dataSet;
    private final Path kept;
    private ClockWindows clockWindows;

    /**
     * @param dataSet the known one that the corpus is
     * @param kept folder for outputs that differ
     */
    public OutputCheck(OutputReader reader, Corpus corpus, Optional<String> dataSet, Path kept) {
        this.reader = reader;
        this.corpus = corpus;
        this.dataSet = dataSet;
        this.kept = kept;
    }

    /**
     * An output.
     *
     * @param name of a file that may be written
     */
    public record Side(String name, String topic, SinkSchema schema) {}

    /**
     * What was found.
     *
     * @param right whether the outputs are the same, and right as far as that is known
     * @param text one line
     */
    public record Verdict(boolean right, String text, long rowsOfStock, long rowsOfOurs) {}

    /** Compares; outputs that differ are kept as files of sorted rows. */
    public Verdict compare(NexmarkQuery query, Side stock, Side ours) throws IOException {
        OutputReader.Output some = reader.digest(stock.topic(), stock.schema());
        OutputReader.Output others = reader.digest(ours.topic(), ours.schema());
        List<String> faults = new ArrayList<>();
        if (!query.deterministic()) {
            fault(stock).ifPresent(faults::add);
            fault(ours).ifPresent(faults::add);
        } else if (!some.equals(others) && !sameUpToTies(query, stock, ours)) {
            faults.add(
                    "%,d rows of stock and %,d of ours differ"
                            .formatted(some.rows(), others.rows()));
        } else {
            unknown(query, ours).ifPresent(faults::add);
        }
        String text =
                query.deterministic()
                        ? "the same %,d rows".formatted(others.rows())
                        : "windows of the clock, no bid counted twice";
        if (!faults.isEmpty()) {
            keep(stock);
            keep(ours);
            text = String.join("; ", faults) + "; both are kept in " + kept;
        }
        return new Verdict(faults.isEmpty(), text, some.rows(), others.rows());
    }

    private Optional<String> fault(Side side) {
        if (clockWindows == null) {
            clockWindows = new ClockWindows(corpus);
        }
        return clockWindows
                .fault(reader.rows(side.topic(), side.schema()))
                .map(fault -> side.name() + ": " + fault);
    }

    private boolean sameUpToTies(NexmarkQuery query, Side stock, Side ours) {
        return query.arrivalDecidesTies()
                && TiedRanks.same(
                        reader.rows(stock.topic(), stock.schema()),
                        reader.rows(ours.topic(), ours.schema()));
    }

    /** Says when a result is not the known one. */
    private Optional<String> unknown(NexmarkQuery query, Side side) {
        Optional<Known> known = dataSet.flatMap(name -> ResultOracle.find(name, query));
        if (known.isEmpty()) {
            return Optional.empty();
        }
        List<String> rows = reader.rows(side.topic(), side.schema());
        return isKnown(query, rows, known.get())
                ? Optional.empty()
                : Optional.of("not the known result of data set " + dataSet.orElseThrow());
    }

    /** Whether rows are those that stock Flink is known to give, but for the order of ties. */
    public static boolean isKnown(NexmarkQuery query, List<String> rows, Known known) {
        List<String> comparable = query.arrivalDecidesTies() ? TiedRanks.inOrderOfTime(rows) : rows;
        return ResultOracle.sha256(ResultOracle.sorted(comparable)).equals(known.sha256());
    }

    private void keep(Side side) throws IOException {
        Files.createDirectories(kept);
        Files.write(
                kept.resolve(side.name() + ".rows"),
                ResultOracle.sorted(reader.rows(side.topic(), side.schema())));
    }
}
