package io.streamfusion.sql.hook;

import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.flink.configuration.ConfigOption;
import org.apache.flink.table.factories.Factory;

/**
 * Looks whether Flink found StreamFusion's planner factory or its own first. Flink makes all
 * factories when it looks for one, so this one is made where a table program starts.
 */
public final class HookCheck implements Factory {
    private static final String HOOKED =
            "org.apache.flink.table.planner.loader.DelegatePlannerFactory";

    private static final AtomicBoolean DONE = new AtomicBoolean();

    /** For the service loader. */
    public HookCheck() {
        if (!DONE.getAndSet(true)) {
            check(HookCheck.class.getClassLoader());
        }
    }

    /** Whether the hook is in place, or nothing is there to hook into; else says so in the log. */
    static boolean check(ClassLoader loader) {
        Class<?> factory;
        try {
            factory = Class.forName(HOOKED, false, loader);
        } catch (ClassNotFoundException | LinkageError e) {
            return true;
        }
        for (Class<?> implemented : factory.getInterfaces()) {
            if (implemented.getName().equals(HookedFactory.class.getName())) {
                return true;
            }
        }
        PlannerHook.warn(
                "its planner jar comes behind flink-table-planner-loader on the class path; its"
                        + " name has to sort first in lib/, as 00-streamfusion-planner-….jar does");
        return false;
    }

    @Override
    public String factoryIdentifier() {
        return "streamfusion-hook-check";
    }

    @Override
    public Set<ConfigOption<?>> requiredOptions() {
        return Set.of();
    }

    @Override
    public Set<ConfigOption<?>> optionalOptions() {
        return Set.of();
    }
}
