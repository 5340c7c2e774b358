package io.streamfusion.state.paimon.catalog;

import java.io.IOException;
import org.apache.flink.table.api.TableException;
import org.apache.flink.table.connector.ChangelogMode;
import org.apache.flink.table.connector.source.DynamicTableSource;
import org.apache.flink.table.connector.source.InputFormatProvider;
import org.apache.flink.table.connector.source.ScanTableSource;

/** Reads all rows of a table, which are as many as there are. */
final class StateTableSource implements ScanTableSource {
    private final String name;
    private final Plan plan;

    /** The plan of a query, made once: the planner asks for it more than once. */
    private static final class Plan {
        private final StateCatalogTable table;
        private InputFormatProvider provider;

        Plan(StateCatalogTable table) {
            this.table = table;
        }

        synchronized InputFormatProvider provider() throws IOException {
            if (provider == null) {
                provider = InputFormatProvider.of(table.rows().plan());
            }
            return provider;
        }
    }

    StateTableSource(String name, StateCatalogTable table) {
        this(name, new Plan(table));
    }

    private StateTableSource(String name, Plan plan) {
        this.name = name;
        this.plan = plan;
    }

    @Override
    public ChangelogMode getChangelogMode() {
        return ChangelogMode.insertOnly();
    }

    @Override
    public ScanRuntimeProvider getScanRuntimeProvider(ScanContext runtimeProviderContext) {
        try {
            return plan.provider();
        } catch (IOException e) {
            throw new TableException(e.getMessage(), e);
        }
    }

    @Override
    public DynamicTableSource copy() {
        return new StateTableSource(name, plan);
    }

    @Override
    public String asSummaryString() {
        return "State of a checkpoint: " + name;
    }
}
