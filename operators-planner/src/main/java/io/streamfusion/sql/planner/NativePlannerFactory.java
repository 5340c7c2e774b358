package io.streamfusion.sql.planner;

import io.streamfusion.ffi.NativeLibrary;
import java.util.Set;
import org.apache.flink.api.common.RuntimeExecutionMode;
import org.apache.flink.configuration.ConfigOption;
import org.apache.flink.configuration.ExecutionOptions;
import org.apache.flink.table.delegation.Planner;
import org.apache.flink.table.delegation.PlannerFactory;

/** Makes planners whose queries run natively where they can; in batch mode Flink's own. */
public final class NativePlannerFactory implements PlannerFactory {
    private final PlannerFactory stock;
    private final TransformationAccess access = new TransformationAccess();

    /**
     * Checks Flink and the native library.
     *
     * @param stock Flink's factory
     * @throws IllegalStateException when Flink is another one than expected
     * @throws io.streamfusion.ffi.NativeLibraryException when there is no library for this machine
     */
    public NativePlannerFactory(PlannerFactory stock) {
        this.stock = stock;
        NativeLibrary.load();
    }

    @Override
    public Planner create(Context context) {
        return context.getTableConfig().get(ExecutionOptions.RUNTIME_MODE)
                        == RuntimeExecutionMode.STREAMING
                ? new NativeStreamPlanner(context, access)
                : stock.create(context);
    }

    @Override
    public String factoryIdentifier() {
        return stock.factoryIdentifier();
    }

    @Override
    public Set<ConfigOption<?>> requiredOptions() {
        return stock.requiredOptions();
    }

    @Override
    public Set<ConfigOption<?>> optionalOptions() {
        return stock.optionalOptions();
    }
}
