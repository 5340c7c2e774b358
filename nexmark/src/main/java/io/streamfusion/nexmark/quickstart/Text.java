package io.streamfusion.nexmark.quickstart;

/** Text for a terminal. */
final class Text {
    private static final int WIDTH = 160;

    private Text() {}

    /** A line without what would not fit. */
    static String cut(String line) {
        return line.length() <= WIDTH ? line : line.substring(0, WIDTH - 1) + "…";
    }
}
