package io.streamfusion.sql;

import io.streamfusion.sql.hook.PlannerHook;
import java.lang.reflect.Field;
import java.util.Set;
import org.apache.flink.configuration.ConfigOption;
import org.apache.flink.table.api.TableEnvironment;
import org.apache.flink.table.api.internal.TableEnvironmentImpl;
import org.apache.flink.table.catalog.FunctionCatalog;
import org.apache.flink.table.delegation.Executor;
import org.apache.flink.table.delegation.Planner;
import org.apache.flink.table.delegation.PlannerFactory;
import org.apache.flink.table.module.ModuleManager;
import org.apache.flink.table.resource.ResourceManager;

/**
 * Makes a table environment native where Flink's planner is on the class path of a program, and not
 * behind the loader of an installed Flink. There the jar in {@code lib/} is enough.
 */
public final class StreamFusion {
    private static final String STREAM_PLANNER =
            "org.apache.flink.table.planner.delegation.StreamPlanner";
    private static final String NATIVE_PLANNER = "io.streamfusion.sql.planner.NativeStreamPlanner";

    private StreamFusion() {}

    /**
     * Makes the statements that follow native where they can be. Call it before the environment is
     * used by a second thread.
     *
     * @return whether that is so now; if not the log says why, and the environment is as it was
     */
    public static boolean install(TableEnvironment environment) {
        if (!(environment instanceof TableEnvironmentImpl)) {
            PlannerHook.warn("it does not know the environment " + environment.getClass());
            return false;
        }
        try {
            return install((TableEnvironmentImpl) environment);
        } catch (ReflectiveOperationException | RuntimeException e) {
            PlannerHook.warn("the environment is not that of Flink 2.2: " + e);
            return false;
        }
    }

    private static boolean install(TableEnvironmentImpl environment)
            throws ReflectiveOperationException {
        Field field = field("planner");
        Planner stock = (Planner) field.get(environment);
        if (stock.getClass().getName().equals(NATIVE_PLANNER)) {
            return true;
        }
        if (!stock.getClass().getName().equals(STREAM_PLANNER)) {
            PlannerHook.warn("only streaming mode is native");
            return false;
        }
        PlannerFactory factory =
                PlannerHook.over(new Fixed(stock), stock.getClass().getClassLoader());
        Planner planner =
                factory.create(
                        new PlannerFactory.DefaultPlannerContext(
                                (Executor) field("execEnv").get(environment),
                                environment.getConfig(),
                                ((ResourceManager) field("resourceManager").get(environment))
                                        .getUserClassLoader(),
                                (ModuleManager) field("moduleManager").get(environment),
                                environment.getCatalogManager(),
                                (FunctionCatalog) field("functionCatalog").get(environment)));
        field.set(environment, planner);
        return planner != stock;
    }

    private static Field field(String name) throws NoSuchFieldException {
        Field field = TableEnvironmentImpl.class.getDeclaredField(name);
        field.setAccessible(true);
        return field;
    }

    /** Gives the planner that is there already. */
    private static final class Fixed implements PlannerFactory {
        private final Planner planner;

        private Fixed(Planner planner) {
            this.planner = planner;
        }

        @Override
        public Planner create(Context context) {
            return planner;
        }

        @Override
        public String factoryIdentifier() {
            return DEFAULT_IDENTIFIER;
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
}
