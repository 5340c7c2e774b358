package io.streamfusion.nexmark.quickstart;

import io.streamfusion.nexmark.quickstart.QueryRun.Outcome;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import org.apache.flink.util.ExceptionUtils;

/** {@code bin/quickstart}. */
public final class Quickstart {
    private static final int SAME = 0;
    private static final int DIFFERENT = 1;
    private static final int WRONG_USE = 2;

    private static final int HEAD_ROWS = 10;

    private final QuickstartOptions options;
    private final PrintStream out;

    Quickstart(QuickstartOptions options, PrintStream out) {
        this.options = options;
        this.out = out;
    }

    /**
     * Exits with 0 when both results are identical, 1 when not or when a job failed, 2 for wrong
     * options.
     */
    public static void main(String[] args) {
        PrintStream out = new PrintStream(System.out, true, StandardCharsets.UTF_8);
        PrintStream err = new PrintStream(System.err, true, StandardCharsets.UTF_8);
        System.exit(run(Arrays.asList(args), out, err));
    }

    /** The whole program; returns the exit code. */
    static int run(List<String> args, PrintStream out, PrintStream err) {
        if (args.contains("--help")) {
            out.print(QuickstartOptions.USAGE);
            return SAME;
        }
        QuickstartOptions options;
        try {
            options = QuickstartOptions.parse(args);
        } catch (IllegalArgumentException e) {
            err.println("quickstart: " + e.getMessage() + " (--help lists the options)");
            return WRONG_USE;
        }
        try {
            return new Quickstart(options, out).compare() ? SAME : DIFFERENT;
        } catch (Exception e) {
            err.println("quickstart: " + e.getMessage());
            err.println(ExceptionUtils.stringifyException(e));
            return DIFFERENT;
        }
    }

    /**
     * Runs the query on the chosen backend and on hashmap; true when everything that can be
     * compared is equal.
     */
    boolean compare() throws Exception {
        out.printf(
                Locale.ROOT,
                "Nexmark %s, %,d events, seed %d, parallelism %d, checkpoints every second under"
                        + " %s%n",
                options.query().name(),
                options.events(),
                options.seed(),
                options.parallelism(),
                options.workDir().resolve("checkpoints"));
        try (EmbeddedFlink flink = EmbeddedFlink.start(options.parallelism(), options.workDir())) {
            out.println("Flink web UI: " + flink.webUi());
            Outcome chosen =
                    run(
                            flink,
                            options.backend(),
                            "chosen",
                            options.backend().queryable()
                                    ? Optional.of(checkpoint -> printState(flink, checkpoint))
                                    : Optional.empty());
            printHead(chosen);
            Outcome reference = run(flink, Backend.HASHMAP, "reference", Optional.empty());
            out.println();
            boolean same = new Verdict(options, out).print(chosen, reference);
            if (options.keepUi()) {
                out.println("The web UI stays at " + flink.webUi() + " until you press Enter.");
                while (true) {
                    int pressed = System.in.read();
                    if (pressed == '\n' || pressed < 0) {
                        break;
                    }
                }
            }
            return same;
        }
    }

    private void printState(EmbeddedFlink flink, String checkpoint) throws Exception {
        out.println("All events are in; the state in the last checkpoint, by SQL:");
        new StateQuery(flink.webUi(), out).print(checkpoint);
    }

    private Outcome run(
            EmbeddedFlink flink,
            Backend backend,
            String role,
            Optional<QueryRun.CheckpointVisitor> visitor)
            throws Exception {
        out.printf("%n== %s on %s ==%n", options.query().name(), backend.configName());
        Outcome outcome = new QueryRun(flink, options, backend, out).run(visitor);
        Path file = save(outcome, role);
        out.printf(
                Locale.ROOT,
                "finished in %.1f s, %d checkpoints, %,d final rows in %s%n",
                outcome.nanos() / 1e9,
                outcome.checkpoints(),
                outcome.rows().size(),
                file);
        return outcome;
    }

    private Path save(Outcome outcome, String role) throws IOException {
        Path folder = Files.createDirectories(options.workDir().resolve("results"));
        String name =
                options.query().name()
                        + "-"
                        + role
                        + "-"
                        + outcome.backend().configName()
                        + ".rows";
        return Files.write(folder.resolve(name), outcome.rows(), StandardCharsets.UTF_8);
    }

    private void printHead(Outcome outcome) {
        out.println(Text.cut(String.join(" | ", outcome.columns())));
        outcome.rows().stream()
                .limit(HEAD_ROWS)
                .forEach(row -> out.println(Text.cut(row.replace("|", " | "))));
        int more = outcome.rows().size() - HEAD_ROWS;
        if (more > 0) {
            out.printf(Locale.ROOT, "… and %,d more%n", more);
        }
    }
}
