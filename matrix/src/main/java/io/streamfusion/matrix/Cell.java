package io.streamfusion.matrix;

import java.util.Arrays;
import java.util.stream.Collectors;

/** A column of the matrix: two backends against each other, with mini-batch off or on. */
public enum Cell {
    /** Everything in memory. */
    MEMORY_OFF("memory-off", "hashmap", "streamfusion-memory", false),
    /** Everything in memory, mini-batch. */
    MEMORY_ON("memory-on", "hashmap", "streamfusion-memory", true),
    /** State may be larger than memory. */
    DISK_OFF("disk-off", "rocksdb", "streamfusion-paimon", false),
    /** State may be larger than memory, mini-batch. */
    DISK_ON("disk-on", "rocksdb", "streamfusion-paimon", true);

    private final String text;
    private final String stock;
    private final String ours;
    private final boolean miniBatch;

    Cell(String text, String stock, String ours, boolean miniBatch) {
        this.text = text;
        this.stock = stock;
        this.ours = ours;
        this.miniBatch = miniBatch;
    }

    /** Throws {@link IllegalArgumentException} that lists the names for one that does not exist. */
    public static Cell of(String text) {
        return Arrays.stream(values())
                .filter(cell -> cell.text.equals(text))
                .findFirst()
                .orElseThrow(
                        () ->
                                new IllegalArgumentException(
                                        "there is no cell '"
                                                + text
                                                + "'; there are "
                                                + Arrays.stream(values())
                                                        .map(Cell::toString)
                                                        .collect(Collectors.joining(", "))));
    }

    /** Value of {@code state.backend.type} on a side. */
    public String backend(Side side) {
        return side == Side.STOCK ? stock : ours;
    }

    /** Whether operators may collect rows before they work on them. */
    public boolean miniBatch() {
        return miniBatch;
    }

    @Override
    public String toString() {
        return text;
    }

    /** One of the two that are compared. */
    public enum Side {
        /** Stock Flink on a backend of its own. */
        STOCK,
        /** Flink with StreamFusion. */
        OURS;

        @Override
        public String toString() {
            return this == STOCK ? "stock" : "ours";
        }
    }
}
