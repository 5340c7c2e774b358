package io.streamfusion.state.paimon.spill;

import java.io.Serializable;
import java.util.List;
import org.apache.flink.runtime.execution.Environment;

/**
 * What the user has chosen for spilling.
 *
 * @param enabled whether rows that do not fit the memory budget go to files
 * @param directories parents of the directories with these files; empty: Flink's temporary ones
 */
public record SpillSettings(boolean enabled, List<String> directories) implements Serializable {
    public SpillSettings {
        directories = List.copyOf(directories);
    }

    /** The parent directories for the backends of a task; empty: rows stay in memory. */
    public List<String> parents(Environment task) {
        if (!enabled) {
            return List.of();
        }
        return directories.isEmpty()
                ? List.of(task.getIOManager().getSpillingDirectoriesPaths())
                : directories;
    }
}
