package io.streamfusion.sql.plans;

import io.streamfusion.nexmark.query.NexmarkQuery;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * What EXPLAIN says of StreamFusion, kept as files. Run {@link #main} with their folder, after the
 * texts or the decisions changed.
 */
final class ExplainedPlans {
    private static final String HEAD = "== StreamFusion ==";

    private ExplainedPlans() {}

    /** Writes all files to the folder {@code args[0]}. */
    public static void main(String[] args) throws IOException {
        for (String name : NexmarkQuery.NAMES) {
            for (boolean miniBatch : new boolean[] {false, true}) {
                NexmarkQuery query = new NexmarkQuery(name);
                Files.writeString(
                        Path.of(args[0], file(query, miniBatch)), section(query, miniBatch));
            }
        }
    }

    /** The section of today. */
    static String section(NexmarkQuery query, boolean miniBatch) {
        String text = new NexmarkTables(query, miniBatch).tables().explainSql(query.insert());
        int head = text.indexOf(HEAD);
        return head < 0 ? "" : text.substring(head);
    }

    /** The section that is kept. */
    static String golden(NexmarkQuery query, boolean miniBatch) throws IOException {
        try (InputStream in = ExplainedPlans.class.getResourceAsStream(file(query, miniBatch))) {
            return in == null ? "no file" : new String(in.readAllBytes(), StandardCharsets.UTF_8);
        }
    }

    private static String file(NexmarkQuery query, boolean miniBatch) {
        return query.name() + (miniBatch ? "-mini-batch" : "") + ".txt";
    }
}
