package io.streamfusion.nexmark.quickstart;

import io.streamfusion.nexmark.query.ResultOracle;
import io.streamfusion.nexmark.query.ResultOracle.Known;
import io.streamfusion.nexmark.quickstart.QueryRun.Outcome;
import java.io.PrintStream;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/** Compares the results of two runs with each other and, where it is known, with the right one. */
final class Verdict {
    private final QuickstartOptions options;
    private final PrintStream out;

    Verdict(QuickstartOptions options, PrintStream out) {
        this.options = options;
        this.out = out;
    }

    /** Prints the findings; true when everything that can be compared is equal. */
    boolean print(Outcome chosen, Outcome reference) {
        if (!options.query().deterministic()) {
            out.println(
                    "The windows of "
                            + options.query().name()
                            + " are those of the clock: two runs differ, nothing to compare.");
            return true;
        }
        boolean identical = chosen.rows().equals(reference.rows());
        String backends =
                chosen.backend().configName() + " and on " + reference.backend().configName();
        if (identical) {
            out.printf(
                    Locale.ROOT,
                    "IDENTICAL: %s gives the same %,d final rows on %s (SHA-256 %s)%n",
                    options.query().name(),
                    chosen.rows().size(),
                    backends,
                    chosen.sha256());
        } else {
            out.printf(
                    Locale.ROOT,
                    "DIFFERENT: %s does not give the same final rows on %s: %,d and %,d rows%n",
                    options.query().name(),
                    backends,
                    chosen.rows().size(),
                    reference.rows().size());
            printFirstDifference(chosen, reference);
        }
        boolean chosenIsRight = agreesWithOracle(chosen);
        boolean referenceIsRight = agreesWithOracle(reference);
        boolean agreed = identical && chosenIsRight && referenceIsRight;
        if (!agreed && options.query().arrivalDecidesTies() && options.parallelism() > 1) {
            out.printf(
                    "Ties of %s are in order of arrival, which two runs share at --parallelism 1"
                            + " only.%n",
                    options.query().name());
        }
        return agreed;
    }

    private void printFirstDifference(Outcome chosen, Outcome reference) {
        int common = Math.min(chosen.rows().size(), reference.rows().size());
        int at = 0;
        while (at < common && chosen.rows().get(at).equals(reference.rows().get(at))) {
            at++;
        }
        out.println("first difference, sorted row " + at + ":");
        for (Outcome outcome : List.of(chosen, reference)) {
            String row = at < outcome.rows().size() ? outcome.rows().get(at) : "(no more rows)";
            out.println("  " + outcome.backend().configName() + ": " + row);
        }
    }

    /** True, too, when nothing is known about this stream. */
    private boolean agreesWithOracle(Outcome outcome) {
        if (options.events() != ResultOracle.EVENTS || options.seed() != ResultOracle.SEED_OF_A) {
            return true;
        }
        Optional<Known> known = ResultOracle.find("A", options.query());
        if (known.isEmpty()) {
            return true;
        }
        boolean agrees =
                known.get().rows() == outcome.rows().size()
                        && known.get().sha256().equals(outcome.sha256());
        out.printf(
                "%s: %s on %s and the known result of stock Flink for this stream%n",
                agrees ? "IDENTICAL" : "DIFFERENT",
                options.query().name(),
                outcome.backend().configName());
        return agrees;
    }
}
