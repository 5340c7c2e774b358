package io.streamfusion.state.paimon.catalog;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Names the databases: as the operator is named in Flink's web interface, told apart by the hash of
 * its uid and, where a directory has several jobs, by the job.
 */
final class DatabaseNames {
    private static final int SHORT_HASH = 8;

    private DatabaseNames() {}

    /**
     * An operator to be named.
     *
     * @param job identifier of its job; empty: there is but one
     * @param name its name in Flink
     * @param hash of its uid, unique in its job
     */
    record Operator(Optional<String> job, String name, String hash) {}

    /**
     * Unique names, in the order of the operators.
     *
     * @param reserved a name that no operator gets
     */
    static List<String> of(List<Operator> operators, String reserved) {
        Map<String, Integer> counts = new HashMap<>();
        operators.forEach(operator -> counts.merge(plain(operator), 1, Integer::sum));
        Set<String> taken = new HashSet<>(Set.of(reserved));
        List<String> names = new ArrayList<>();
        for (Operator operator : operators) {
            String name = plain(operator);
            if (counts.get(name) > 1 || taken.contains(name)) {
                name = plain(operator) + "-" + shortened(operator.hash());
            }
            if (taken.contains(name)) {
                name = plain(operator) + "-" + operator.hash();
            }
            taken.add(name);
            names.add(name);
        }
        return names;
    }

    private static String plain(Operator operator) {
        return operator.job().map(job -> shortened(job) + "/").orElse("") + operator.name();
    }

    private static String shortened(String hash) {
        return hash.substring(0, Math.min(SHORT_HASH, hash.length()));
    }
}
