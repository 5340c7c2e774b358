package org.apache.flink.table.planner.loader;

import io.streamfusion.sql.hook.HookedFactory;
import io.streamfusion.sql.hook.PlannerHook;
import java.util.Set;
import org.apache.flink.configuration.ConfigOption;
import org.apache.flink.table.delegation.Planner;
import org.apache.flink.table.delegation.PlannerFactory;

/**
 * Stands where Flink has its planner factory, when this jar is before Flink's on the class path,
 * and gives StreamFusion's planner, or Flink's own when that is not possible.
 */
public final class DelegatePlannerFactory implements PlannerFactory, HookedFactory {
    private final PlannerFactory delegate = PlannerHook.ofPlannerModule();

    /** For the service loader. */
    public DelegatePlannerFactory() {}

    @Override
    public Planner create(Context context) {
        return delegate.create(context);
    }

    @Override
    public String factoryIdentifier() {
        return delegate.factoryIdentifier();
    }

    @Override
    public Set<ConfigOption<?>> requiredOptions() {
        return delegate.requiredOptions();
    }

    @Override
    public Set<ConfigOption<?>> optionalOptions() {
        return delegate.optionalOptions();
    }
}
