package io.streamfusion.matrix;

import io.streamfusion.matrix.job.ClusterSettings;
import io.streamfusion.matrix.job.JobSettings;
import io.streamfusion.matrix.kafka.Corpus;
import io.streamfusion.nexmark.generator.NexmarkSettings;
import io.streamfusion.nexmark.query.NexmarkQuery;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.stream.Stream;

/**
 * The command line.
 *
 * @param dataSet name of the known one that the corpus is; empty for any other
 * @param warmup runs of each pair that come first and are not counted
 * @param runs of each pair that are counted
 * @param nativeSql whether our side has native operators, or stock's on our state backends
 * @param kafkaSink whether results go to Kafka, where they are compared, or nowhere
 * @param kafkaPort empty for a free one
 */
record MatrixOptions(
        List<NexmarkQuery> queries,
        List<Cell> cells,
        Corpus corpus,
        Optional<String> dataSet,
        int warmup,
        int runs,
        int parallelism,
        boolean unaligned,
        boolean nativeSql,
        boolean kafkaSink,
        ClusterSettings cluster,
        OptionalInt kafkaPort,
        Path work,
        boolean resume) {

    static final String USAGE =
            """
            usage: bin/bench-matrix [options]
              --queries q0,q3,...      which (default: q0 to q23 without q6)
              --cells memory-off,...   which of memory-off, memory-on, disk-off, disk-on (default: all).
                                       memory: hashmap against streamfusion-memory, disk: rocksdb against
                                       streamfusion-paimon; on and off: mini-batch
              --events N               length of the stream (default 2000000)
              --rate R                 events in a second of event time, at most 1000 (default 1000)
              --seed N                 another seed is another stream (default 42)
              --data-set A|B           20000 events whose results are known, instead of the three above
              --warmup N               runs of each pair that are not counted (default 1)
              --runs N                 runs of each pair that are counted (default 3)
              --parallelism N          subtasks of each operator (default: 4, at most the cores)
              --task-managers N        processes on each side (default 1)
              --tm-memory SIZE         of each of them (default 6g)
              --managed SIZE           its share for the state backends (default 1536m)
              --state-heavy            the same as --managed 64m: rocksdb's working set exceeds its cache
              --unaligned              unaligned checkpoints
              --stock-operators        our side has stock's operators, too: only the state backends differ
              --sink kafka|blackhole   where results go (default kafka); those of blackhole are not compared
              --kafka-port N           port of the broker (default: a free one)
              --work DIR               events, logs, samples (default target/bench-matrix)
              --resume                 go on with the last run of DIR, whose configuration has to be the same
              --help                   this text
            """;

    private static final int PARTITIONS = 4;
    private static final int MAX_PARALLELISM = 128;

    /** Throws {@link IllegalArgumentException} with a message for the user. */
    static MatrixOptions parse(List<String> arguments) {
        List<NexmarkQuery> queries = NexmarkQuery.NAMES.stream().map(NexmarkQuery::new).toList();
        List<Cell> cells = List.of(Cell.values());
        long events = 2_000_000;
        long rate = 1000;
        long seed = 42;
        String dataSet = null;
        int warmup = 1;
        int runs = 3;
        int parallelism = Math.min(PARTITIONS, Runtime.getRuntime().availableProcessors());
        int taskManagers = 1;
        String memory = "6g";
        String managed = "1536m";
        boolean unaligned = false;
        boolean nativeSql = true;
        boolean kafkaSink = true;
        OptionalInt kafkaPort = OptionalInt.empty();
        Path work = Path.of("target", "bench-matrix");
        boolean resume = false;
        requireNoneBeside(arguments, "--data-set", "--events", "--rate", "--seed");
        requireNoneBeside(arguments, "--state-heavy", "--managed");
        Iterator<String> rest = arguments.iterator();
        while (rest.hasNext()) {
            String option = rest.next();
            switch (option) {
                case "--queries" -> queries = names(option, rest).map(NexmarkQuery::new).toList();
                case "--cells" -> cells = names(option, rest).map(Cell::of).toList();
                case "--events" -> events = number(option, rest, 1, 1L << 40);
                case "--rate" -> rate = number(option, rest, 1, 1000);
                case "--seed" -> seed = number(option, rest, Long.MIN_VALUE, Long.MAX_VALUE);
                case "--data-set" -> dataSet = oneOf(option, rest, "A", "B");
                case "--warmup" -> warmup = (int) number(option, rest, 0, 1000);
                case "--runs" -> runs = (int) number(option, rest, 1, 1000);
                case "--parallelism" ->
                        parallelism = (int) number(option, rest, 1, MAX_PARALLELISM);
                case "--task-managers" -> taskManagers = (int) number(option, rest, 1, 16);
                case "--tm-memory" -> memory = value(option, rest);
                case "--managed" -> managed = value(option, rest);
                case "--state-heavy" -> managed = "64m";
                case "--unaligned" -> unaligned = true;
                case "--stock-operators" -> nativeSql = false;
                case "--sink" ->
                        kafkaSink = oneOf(option, rest, "kafka", "blackhole").equals("kafka");
                case "--kafka-port" ->
                        kafkaPort = OptionalInt.of((int) number(option, rest, 1, 65_535));
                case "--work" -> work = Path.of(value(option, rest));
                case "--resume" -> resume = true;
                default ->
                        throw new IllegalArgumentException("there is no option '" + option + "'");
            }
        }
        return new MatrixOptions(
                queries,
                cells,
                dataSet == null
                        ? new Corpus(
                                new NexmarkSettings(
                                        seed, rate, NexmarkSettings.DEFAULT_BASE.toEpochMilli(), 1),
                                events,
                                PARTITIONS)
                        : Corpus.ofDataSet(dataSet, PARTITIONS),
                Optional.ofNullable(dataSet),
                warmup,
                runs,
                parallelism,
                unaligned,
                nativeSql,
                kafkaSink,
                new ClusterSettings(
                        taskManagers,
                        (parallelism + taskManagers - 1) / taskManagers,
                        memory,
                        managed,
                        ""),
                kafkaPort,
                work.toAbsolutePath().normalize(),
                resume);
    }

    JobSettings job(Cell cell) {
        return new JobSettings(parallelism, cell.miniBatch(), unaligned);
    }

    private static void requireNoneBeside(List<String> arguments, String option, String... others) {
        if (arguments.contains(option)) {
            for (String other : others) {
                if (arguments.contains(other)) {
                    throw new IllegalArgumentException(
                            other + " does not go with " + option + ", which decides it");
                }
            }
        }
    }

    private static String value(String option, Iterator<String> rest) {
        if (!rest.hasNext()) {
            throw new IllegalArgumentException(option + " needs a value");
        }
        return rest.next();
    }

    private static Stream<String> names(String option, Iterator<String> rest) {
        return Arrays.stream(value(option, rest).split(",", -1)).distinct();
    }

    private static String oneOf(String option, Iterator<String> rest, String... values) {
        String text = value(option, rest);
        if (!List.of(values).contains(text)) {
            throw new IllegalArgumentException(
                    "%s is one of %s, not '%s'".formatted(option, String.join(", ", values), text));
        }
        return text;
    }

    private static long number(String option, Iterator<String> rest, long least, long greatest) {
        String text = value(option, rest);
        long number;
        try {
            number = Long.parseLong(text);
        } catch (NumberFormatException e) {
            throw new IllegalArgumentException(
                    option + " needs a whole number, not '" + text + "'", e);
        }
        if (number < least || number > greatest) {
            throw new IllegalArgumentException(
                    "%s must lie between %d and %d, not %s"
                            .formatted(option, least, greatest, text));
        }
        return number;
    }
}
