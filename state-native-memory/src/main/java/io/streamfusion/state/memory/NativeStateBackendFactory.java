package io.streamfusion.state.memory;

import org.apache.flink.configuration.IllegalConfigurationException;
import org.apache.flink.configuration.ReadableConfig;
import org.apache.flink.runtime.state.ConfigurableStateBackend;
import org.apache.flink.runtime.state.StateBackend;
import org.apache.flink.runtime.state.StateBackendFactory;

/**
 * Creates one of our state backends.
 *
 * <p>This class and those that extend it run on Java 11 and name no class that needs a newer one,
 * so that a JVM that is too old is explained instead of failing on a class file. They load no
 * native code: Flink calls them on JobManager and TaskManager, many times.
 */
public abstract class NativeStateBackendFactory implements StateBackendFactory<StateBackend> {
    /** First Java release with the foreign function interface that the backends need. */
    static final int NEEDED_JAVA = 22;

    private final String shortName;
    private final String backendClass;

    /**
     * @param shortName of the state backend, for messages
     * @param backendClass a {@link ConfigurableStateBackend} with a public constructor without
     *     parameters, found by the class loader of the factory
     */
    protected NativeStateBackendFactory(String shortName, String backendClass) {
        this.shortName = shortName;
        this.backendClass = backendClass;
    }

    @Override
    public StateBackend createFromConfig(ReadableConfig config, ClassLoader classLoader) {
        requireJava(Runtime.version().feature());
        ConfigurableStateBackend backend;
        try {
            backend =
                    Class.forName(backendClass, true, getClass().getClassLoader())
                            .asSubclass(ConfigurableStateBackend.class)
                            .getConstructor()
                            .newInstance();
        } catch (ReflectiveOperationException e) {
            throw new IllegalConfigurationException(
                    "The state backend " + shortName + " is not complete: " + backendClass, e);
        }
        return backend.configure(config, classLoader);
    }

    final void requireJava(int found) {
        if (found < NEEDED_JAVA) {
            throw new IllegalConfigurationException(
                    "The state backend "
                            + shortName
                            + " needs Java "
                            + NEEDED_JAVA
                            + " or newer, but this process runs on Java "
                            + found
                            + ". Point JAVA_HOME (or env.java.home) of every JobManager,"
                            + " TaskManager and client to a newer JDK.");
        }
    }
}
