package io.streamfusion.sql.hook;

import java.lang.reflect.InvocationTargetException;
import org.apache.flink.runtime.util.EnvironmentInformation;
import org.apache.flink.table.delegation.PlannerFactory;
import org.apache.flink.table.planner.loader.PlannerModule;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Puts StreamFusion's planner in the place of Flink's, or leaves Flink's there and says once why.
 * Safe for use by any thread.
 */
public final class PlannerHook {
    private static final Logger LOG = LoggerFactory.getLogger(PlannerHook.class);

    private static final String FACTORY = "io.streamfusion.sql.planner.NativePlannerFactory";

    /** Flink's versions whose planner has the shape that is built upon. */
    private static final String FLINK = "2.2.";

    /** The first Java with the foreign function interface. */
    private static final int JAVA = 22;

    private PlannerHook() {}

    /** Once for a process: a service loader makes a factory anew at each look-up. */
    private static final class OfPlannerModule {
        private static final PlannerFactory FACTORY = create();

        private static PlannerFactory create() {
            PlannerModule module = PlannerModule.getInstance();
            return over(module.loadPlannerFactory(), module.getSubmoduleClassLoader());
        }
    }

    /**
     * The factory of StreamFusion's planner over the one that Flink's loader has, or the latter.
     */
    public static PlannerFactory ofPlannerModule() {
        return OfPlannerModule.FACTORY;
    }

    /**
     * The factory of StreamFusion's planner, or the stock one when there is a reason.
     *
     * @param stock Flink's factory
     * @param planner class loader of Flink's planner
     */
    public static PlannerFactory over(PlannerFactory stock, ClassLoader planner) {
        return over(
                stock,
                new PlannerClassLoader(PlannerHook.class.getClassLoader(), planner),
                Runtime.version().feature(),
                EnvironmentInformation.getVersion());
    }

    static PlannerFactory over(PlannerFactory stock, ClassLoader loader, int java, String flink) {
        if (java < JAVA) {
            return off(stock, "it needs Java " + JAVA + " or newer, this is Java " + java, null);
        }
        if (!flink.startsWith(FLINK)) {
            return off(stock, "it is for Flink " + FLINK + "x, this is Flink " + flink, null);
        }
        try {
            return Class.forName(FACTORY, true, loader)
                    .asSubclass(PlannerFactory.class)
                    .getConstructor(PlannerFactory.class)
                    .newInstance(stock);
        } catch (InvocationTargetException e) {
            Throwable cause = e.getCause();
            return cause instanceof LinkageError
                    ? notLoaded(stock, cause)
                    : off(stock, cause.getMessage(), cause);
        } catch (ReflectiveOperationException | LinkageError e) {
            return notLoaded(stock, e);
        }
    }

    private static PlannerFactory notLoaded(PlannerFactory stock, Throwable cause) {
        return off(
                stock, "its classes do not load, is streamfusion-….jar in lib/? " + cause, cause);
    }

    /** Says why queries run on stock Flink. */
    public static void warn(String reason) {
        LOG.warn("StreamFusion's SQL is off, queries run on stock Flink: {}", reason);
    }

    private static PlannerFactory off(PlannerFactory stock, String reason, Throwable cause) {
        warn(reason);
        if (cause != null) {
            LOG.debug("Why StreamFusion's SQL is off", cause);
        }
        return stock;
    }
}
