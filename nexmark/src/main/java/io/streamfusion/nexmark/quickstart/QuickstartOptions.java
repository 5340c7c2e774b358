package io.streamfusion.nexmark.quickstart;

import io.streamfusion.nexmark.query.NexmarkQuery;
import java.nio.file.Path;
import java.util.Iterator;
import java.util.List;
import java.util.OptionalLong;

/**
 * The command line.
 *
 * @param events length of the stream, at least 1
 * @param parallelism subtasks of every operator, at least 1
 * @param eventsPerSecond greatest speed of the source; empty for as fast as it goes
 * @param workDir where checkpoints, results and temporary files go
 * @param keepUi whether the web UI stays until a key is pressed
 */
record QuickstartOptions(
        NexmarkQuery query,
        long events,
        Backend backend,
        int parallelism,
        long seed,
        OptionalLong eventsPerSecond,
        Path workDir,
        boolean keepUi) {

    /** Printed for {@code --help}. */
    static final String USAGE =
            """
            usage: bin/quickstart [options]
              --query NAME             q0 to q23 without q6 (default q4)
              --events N               length of the stream (default 500000)
              --backend NAME           %s
                                       (default streamfusion-paimon)
              --parallelism N          subtasks of each operator (default 2; 1 for q19, whose ties are in
                                       order of arrival)
              --seed N                 another seed is another stream (default 42)
              --events-per-second R    slow the source down (default: as fast as it goes)
              --work-dir DIR           checkpoints, results, temporary files (default target/quickstart)
              --keep-ui                leave the web UI up until Enter is pressed
              --help                   this text
            """
                    .formatted(Backend.names());

    private static final int MAX_PARALLELISM = 128;

    /** Throws {@link IllegalArgumentException} with a message for the user. */
    static QuickstartOptions parse(List<String> arguments) {
        NexmarkQuery query = new NexmarkQuery("q4");
        long events = 500_000;
        Backend backend = Backend.STREAMFUSION_PAIMON;
        OptionalLong parallelism = OptionalLong.empty();
        long seed = 42;
        OptionalLong eventsPerSecond = OptionalLong.empty();
        Path workDir = Path.of("target", "quickstart");
        boolean keepUi = false;
        Iterator<String> rest = arguments.iterator();
        while (rest.hasNext()) {
            String option = rest.next();
            switch (option) {
                case "--query" -> query = new NexmarkQuery(value(option, rest));
                case "--events" -> events = number(option, rest, 1, Long.MAX_VALUE - 1);
                case "--backend" -> backend = Backend.of(value(option, rest));
                case "--parallelism" ->
                        parallelism = OptionalLong.of(number(option, rest, 1, MAX_PARALLELISM));
                case "--seed" -> seed = number(option, rest, Long.MIN_VALUE, Long.MAX_VALUE);
                case "--events-per-second" ->
                        eventsPerSecond =
                                OptionalLong.of(number(option, rest, 1, Integer.MAX_VALUE));
                case "--work-dir" -> workDir = Path.of(value(option, rest));
                case "--keep-ui" -> keepUi = true;
                default ->
                        throw new IllegalArgumentException("there is no option '" + option + "'");
            }
        }
        return new QuickstartOptions(
                query,
                events,
                backend,
                (int) parallelism.orElse(query.arrivalDecidesTies() ? 1 : 2),
                seed,
                eventsPerSecond,
                workDir.toAbsolutePath().normalize(),
                keepUi);
    }

    private static String value(String option, Iterator<String> rest) {
        if (!rest.hasNext()) {
            throw new IllegalArgumentException(option + " needs a value");
        }
        return rest.next();
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
            String bound = number < least ? "at least " + least : "at most " + greatest;
            throw new IllegalArgumentException(option + " must be " + bound + ", not " + text);
        }
        return number;
    }
}
