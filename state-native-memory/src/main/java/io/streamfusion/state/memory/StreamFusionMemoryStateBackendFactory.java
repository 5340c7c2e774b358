package io.streamfusion.state.memory;

import org.apache.flink.configuration.IllegalConfigurationException;
import org.apache.flink.configuration.ReadableConfig;
import org.apache.flink.runtime.state.ConfigurableStateBackend;
import org.apache.flink.runtime.state.StateBackend;
import org.apache.flink.runtime.state.StateBackendFactory;

/**
 * Creates the {@code streamfusion-memory} state backend.
 *
 * <p>This class runs on Java 11 and names no class that needs a newer one, so that a JVM that is
 * too old is explained instead of failing on a class file. It loads no native code: Flink calls it
 * on JobManager and TaskManager, many times.
 */
public class StreamFusionMemoryStateBackendFactory implements StateBackendFactory<StateBackend> {
    /** First Java release with the foreign function interface that the backend needs. */
    static final int NEEDED_JAVA = 22;

    private static final String BACKEND =
            "io.streamfusion.state.memory.StreamFusionMemoryStateBackend";

    /** Called by Flink, by name. */
    public StreamFusionMemoryStateBackendFactory() {}

    @Override
    public StateBackend createFromConfig(ReadableConfig config, ClassLoader classLoader) {
        requireJava(Runtime.version().feature());
        ConfigurableStateBackend backend;
        try {
            backend =
                    Class.forName(
                                    BACKEND,
                                    true,
                                    StreamFusionMemoryStateBackendFactory.class.getClassLoader())
                            .asSubclass(ConfigurableStateBackend.class)
                            .getConstructor()
                            .newInstance();
        } catch (ReflectiveOperationException e) {
            throw new IllegalConfigurationException(
                    "The state backend streamfusion-memory is not complete: " + BACKEND, e);
        }
        return backend.configure(config, classLoader);
    }

    static void requireJava(int found) {
        if (found < NEEDED_JAVA) {
            throw new IllegalConfigurationException(
                    "The state backend streamfusion-memory needs Java "
                            + NEEDED_JAVA
                            + " or newer, but this process runs on Java "
                            + found
                            + ". Point JAVA_HOME (or env.java.home) of every JobManager,"
                            + " TaskManager and client to a newer JDK.");
        }
    }
}
