package io.streamfusion.sql.hook;

import java.io.IOException;
import java.io.InputStream;
import java.net.URL;
import java.util.Enumeration;

/**
 * Loads StreamFusion's planner classes beside Flink's, whose class loader the rest of Flink cannot
 * see. What runs later, and the native library with it, stays with the class loader of the
 * application, so that a process has it once.
 */
final class PlannerClassLoader extends ClassLoader {
    private static final String PLANNER = "io.streamfusion.sql.planner.";

    private final ClassLoader application;
    private final ClassLoader planner;

    static {
        registerAsParallelCapable();
    }

    /**
     * @param application where the jars in {@code lib/} are
     * @param planner class loader of {@code StreamPlanner}
     */
    PlannerClassLoader(ClassLoader application, ClassLoader planner) {
        super(ClassLoader.getPlatformClassLoader());
        this.application = application;
        this.planner = planner;
    }

    @Override
    protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
        if (name.startsWith(PLANNER)) {
            synchronized (getClassLoadingLock(name)) {
                Class<?> known = findLoadedClass(name);
                return known != null ? known : define(name);
            }
        }
        if (name.startsWith("java.")) {
            return super.loadClass(name, resolve);
        }
        if (name.startsWith("io.streamfusion.") || name.startsWith("com.google.protobuf.")) {
            return application.loadClass(name);
        }
        return planner.loadClass(name);
    }

    /**
     * Flink's planner looks for its services where its class is from, and that is a subclass here.
     */
    @Override
    public Enumeration<URL> getResources(String name) throws IOException {
        return planner.getResources(name);
    }

    @Override
    public URL getResource(String name) {
        return planner.getResource(name);
    }

    private Class<?> define(String name) throws ClassNotFoundException {
        String file = name.replace('.', '/') + ".class";
        try (InputStream in = application.getResourceAsStream(file)) {
            if (in == null) {
                throw new ClassNotFoundException(name);
            }
            byte[] bytes = in.readAllBytes();
            return defineClass(
                    name, bytes, 0, bytes.length, PlannerHook.class.getProtectionDomain());
        } catch (IOException e) {
            throw new ClassNotFoundException(name, e);
        }
    }
}
