package io.streamfusion.jmh.operator;

import io.streamfusion.nexmark.connector.EventRows;
import io.streamfusion.nexmark.generator.NexmarkEvent;
import io.streamfusion.nexmark.generator.NexmarkGenerator;
import io.streamfusion.nexmark.generator.NexmarkJson;
import io.streamfusion.nexmark.generator.NexmarkSettings;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;

/** The Nexmark generator on one core. The time is that of one event. */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class GeneratorBench {
    /** Not used: every fork is given one. */
    @Param({"hashmap"})
    public String backend;

    /** What becomes of an event. */
    @Param({"ROW"})
    public Form form;

    private final NexmarkGenerator generator = new NexmarkGenerator(NexmarkSettings.ofSeed(1));
    private final NexmarkJson json = new NexmarkJson();
    private long position;

    /** What becomes of an event. */
    public enum Form {
        /** A row, as the source emits it. */
        ROW,
        /** A line of JSON, as the loader sends it. */
        JSON
    }

    /** The next event. */
    @Benchmark
    public Object event() {
        NexmarkEvent event = generator.event(position++);
        return switch (form) {
            case ROW -> EventRows.toRow(event);
            case JSON -> json.line(event).toString().getBytes(StandardCharsets.UTF_8);
        };
    }
}
