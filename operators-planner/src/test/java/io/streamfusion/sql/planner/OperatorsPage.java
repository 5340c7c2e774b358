package io.streamfusion.sql.planner;

import io.streamfusion.sql.plan.SqlOptions;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Writes the page on native operators and the reasons against them, from the constants that decide.
 * Run {@link #main} with the path of the page after changing one.
 */
final class OperatorsPage {
    private static final String HEAD =
            """
            # Native operators

            Written from `NativeKind` and `Reason`; do not edit.

            `EXPLAIN` has a section `== StreamFusion ==` with a line for each operator: `native`, or
            `on Flink` and why. An operator on Flink is stock Flink's, so results are the same; the
            plan, and with it names, identifiers and state, is stock's in either case.

            """;

    private OperatorsPage() {}

    /** Writes the page to {@code args[0]}. */
    public static void main(String[] args) throws IOException {
        Path page = Path.of(args[0]);
        Files.createDirectories(page.toAbsolutePath().getParent());
        Files.writeString(page, render());
    }

    static String render() {
        StringBuilder page = new StringBuilder(HEAD);
        for (NativeKind kind : NativeKind.values()) {
            page.append(
                    kind == NativeKind.OTHER ? "## Other nodes\n\n" : "## " + name(kind) + "\n\n");
            if (kind != NativeKind.OTHER) {
                page.append("Switch: `")
                        .append(SqlOptions.operatorEnabled(kind.option()).key())
                        .append("`.\n\n");
            }
            page.append("| On Flink because | |\n|---|---|\n");
            for (Reason reason : Reason.values()) {
                if (reason.kinds().contains(kind)) {
                    page.append("| ")
                            .append(reason.text().replace("%s", "…"))
                            .append(" | ")
                            .append(reason.why())
                            .append(" |\n");
                }
            }
            page.append('\n');
        }
        return page.toString().stripTrailing() + "\n";
    }

    /** As in EXPLAIN. */
    private static String name(NativeKind kind) {
        return kind.node().replace("StreamExec", "");
    }
}
