package io.streamfusion.state.paimon.catalog;

import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.flink.api.common.io.InputFormat;
import org.apache.flink.table.api.Schema;
import org.apache.flink.table.catalog.CatalogTable;
import org.apache.flink.table.data.RowData;

/**
 * A table of the catalog, which knows how it is read.
 *
 * @param unresolvedSchema its columns
 * @param comment for people
 * @param options for people too
 * @param rows finds what there is to read
 */
record StateCatalogTable(
        Schema unresolvedSchema, String comment, Map<String, String> options, Rows rows)
        implements CatalogTable {

    /** Plans a query of the table. */
    @FunctionalInterface
    interface Rows {
        InputFormat<RowData, ?> plan() throws IOException;
    }

    @Override
    public Schema getUnresolvedSchema() {
        return unresolvedSchema;
    }

    @Override
    public String getComment() {
        return comment;
    }

    @Override
    public Map<String, String> getOptions() {
        return options;
    }

    @Override
    public boolean isPartitioned() {
        return false;
    }

    @Override
    public List<String> getPartitionKeys() {
        return List.of();
    }

    @Override
    public StateCatalogTable copy() {
        return this;
    }

    @Override
    public StateCatalogTable copy(Map<String, String> newOptions) {
        return new StateCatalogTable(unresolvedSchema, comment, newOptions, rows);
    }

    @Override
    public Optional<String> getDescription() {
        return Optional.of(comment);
    }

    @Override
    public Optional<String> getDetailedDescription() {
        return getDescription();
    }
}
