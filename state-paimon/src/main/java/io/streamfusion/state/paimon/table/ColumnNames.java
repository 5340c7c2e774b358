package io.streamfusion.state.paimon.table;

import java.util.HashMap;
import java.util.HashSet;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Gives the typed columns of a table their names. A name that data files of a restored checkpoint
 * use is not given to a column of another type, because those files are read as if they had the
 * columns of the present schema. Names that differ in case only count as the same one: not every
 * reader tells them apart.
 */
final class ColumnNames {
    private final Map<String, ColumnType> before;
    private final Set<String> taken = new HashSet<>();

    /**
     * @param before columns that earlier data files may have
     * @param reserved names of other columns
     */
    ColumnNames(Map<String, ColumnType> before, Iterable<String> reserved) {
        this.before = new HashMap<>();
        before.forEach((name, type) -> this.before.put(folded(name), type));
        reserved.forEach(name -> taken.add(folded(name)));
    }

    /**
     * A name that begins with {@code prefix}, like {@code v_}, and goes on with what letters,
     * digits and underscores make of {@code wish}.
     */
    String name(String prefix, String wish, ColumnType type) {
        String plain = prefix + wish.replaceAll("[^A-Za-z0-9_]", "_");
        String name = plain;
        for (int i = 2; !isFree(name, type); i++) {
            name = plain + "_" + i;
        }
        taken.add(folded(name));
        return name;
    }

    private boolean isFree(String name, ColumnType type) {
        return !taken.contains(folded(name))
                && Optional.ofNullable(before.get(folded(name))).orElse(type) == type;
    }

    private static String folded(String name) {
        return name.toLowerCase(Locale.ROOT);
    }
}
