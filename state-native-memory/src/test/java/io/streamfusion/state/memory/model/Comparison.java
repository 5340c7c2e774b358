package io.streamfusion.state.memory.model;

import java.util.List;
import java.util.Objects;
import java.util.TreeSet;

/**
 * Does the same on our backend and on the stock one, which has to return the same.
 *
 * @param <K> type of the keys
 */
final class Comparison<K> {
    private static final List<StepKind> READS =
            List.of(
                    StepKind.VALUE_READ,
                    StepKind.LIST_READ,
                    StepKind.MAP_ENTRIES,
                    StepKind.REDUCING_READ,
                    StepKind.AGGREGATING_READ);

    /** What a job does with the states of one backend. */
    interface Action<K> {
        Object on(States<K> states) throws Exception;
    }

    private final Job<K> job;

    /** Reads of the states that the history has used: no other state is ever registered. */
    private final TreeSet<Read> used = new TreeSet<>();

    private final TreeSet<Integer> usedTimers = new TreeSet<>();

    private record Read(StepKind kind, int variant) implements Comparable<Read> {
        @Override
        public int compareTo(Read other) {
            return kind == other.kind
                    ? Integer.compare(variant, other.variant)
                    : kind.compareTo(other.kind);
        }
    }

    Comparison(Job<K> job) {
        this.job = job;
    }

    /** Remembers the state that a step uses. */
    void touch(Step step) {
        String name = step.kind().name();
        if (name.startsWith("TIMER")) {
            usedTimers.add(step.c() % 2);
            return;
        }
        switch (step.kind()) {
            case MERGE ->
                    used.add(
                            switch (step.c() % 5) {
                                case 0 -> new Read(StepKind.REDUCING_READ, States.PLAIN);
                                case 1 -> new Read(StepKind.AGGREGATING_READ, States.PLAIN);
                                case 2 -> new Read(StepKind.LIST_READ, States.PLAIN);
                                case 3 -> new Read(StepKind.LIST_READ, States.WRITE_TTL);
                                default -> new Read(StepKind.LIST_READ, States.READ_TTL);
                            });
            case APPLY_TO_ALL_KEYS -> used.add(new Read(READS.get(step.a() % 3), States.PLAIN));
            default -> {
                String kind = name.substring(0, name.indexOf('_'));
                for (StepKind read : READS) {
                    if (read.name().startsWith(kind + "_")) {
                        used.add(new Read(read, step.c() % States.VARIANTS));
                    }
                }
            }
        }
    }

    /** Does it in one subtask. */
    void same(Job.Pair<K> pair, Action<K> action) throws Exception {
        Object stock = action.on(pair.stock().states());
        Object ours = action.on(pair.ours().states());
        if (!Objects.equals(ours, stock)) {
            throw new IllegalStateException("returned " + ours + ", but hashmap " + stock);
        }
    }

    /** Does it in all subtasks. */
    void same(Action<K> action) throws Exception {
        for (Job.Pair<K> pair : job.running()) {
            same(pair, action);
        }
    }

    /** Reads everything that the history has ever used. */
    void all() throws Exception {
        for (Job.Pair<K> pair : job.running()) {
            for (K key : job.keys().keys()) {
                if (pair.ours().owns(key)) {
                    same(pair, key);
                }
            }
            for (int queue : usedTimers) {
                same(pair, states -> Scans.look(states, queue));
            }
        }
    }

    private void same(Job.Pair<K> pair, K key) throws Exception {
        for (Read read : used) {
            for (int namespace = 0; namespace < KeySpace.NAMESPACES.size(); namespace++) {
                Step step = new Step(read.kind(), 0, namespace, read.variant(), 0);
                try {
                    same(pair, states -> Accesses.access(states, key, step));
                } catch (IllegalStateException e) {
                    throw new IllegalStateException(
                            step.kind() + " of key " + key + ": " + e.getMessage(), e);
                }
            }
        }
    }
}
