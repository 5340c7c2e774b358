package io.streamfusion.jmh.runner;

import java.util.Locale;

/** How much is measured. */
enum Preset {
    /** Full sizes, long iterations. */
    FULL,
    /** Full sizes, less warm-up and fewer iterations. */
    SHORT,
    /** Small sizes: shows that everything runs, no figures. */
    QUICK;

    /** Its name in result files. */
    String text() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** The option of the command line that asks for it. */
    String option() {
        return "--" + text();
    }

    <T> T choose(T full, T shorter, T quick) {
        return switch (this) {
            case FULL -> full;
            case SHORT -> shorter;
            case QUICK -> quick;
        };
    }
}
