package io.streamfusion.state.paimon.catalog;

import io.streamfusion.state.paimon.catalog.CatalogContents.Database;
import io.streamfusion.state.paimon.catalog.decode.StateColumn;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import javax.annotation.Nullable;
import org.apache.flink.core.fs.Path;
import org.apache.flink.table.api.Schema;
import org.apache.flink.table.catalog.CatalogBaseTable;
import org.apache.flink.table.catalog.CatalogDatabase;
import org.apache.flink.table.catalog.CatalogDatabaseImpl;
import org.apache.flink.table.catalog.ObjectPath;
import org.apache.flink.table.catalog.exceptions.CatalogException;
import org.apache.flink.table.catalog.exceptions.DatabaseNotExistException;
import org.apache.flink.table.catalog.exceptions.TableNotExistException;
import org.apache.flink.table.factories.Factory;
import org.apache.flink.table.types.utils.TypeConversions;

/**
 * The keyed state of a checkpoint: a database for each operator, a table for each of its states,
 * and {@link SystemTables}. Unless a checkpoint is chosen, each use looks for the latest one.
 */
public final class StateCatalog extends ReadOnlyCatalog {
    private final CheckpointDirectory directory;
    private final ClassLoader classLoader;
    private CatalogContents contents = new CatalogContents(List.of(), Map.of());

    /**
     * Creates a catalog; reads nothing before {@link #open}. Called by name.
     *
     * @param path a directory of jobs, a job's directory, a checkpoint or a savepoint
     * @param checkpoint number of the wanted checkpoint; null: the latest completed one
     * @param classLoader finds the user's classes
     */
    public StateCatalog(
            String name, String path, @Nullable Long checkpoint, ClassLoader classLoader) {
        super(name, SystemTables.DATABASE);
        this.directory = new CheckpointDirectory(new Path(path), Optional.ofNullable(checkpoint));
        this.classLoader = classLoader;
    }

    @Override
    public void open() {
        contents();
    }

    @Override
    public void close() {}

    @Override
    public Optional<Factory> getFactory() {
        return Optional.of(new StateTableFactory());
    }

    private synchronized CatalogContents contents() {
        try {
            List<CheckpointDirectory.Found> found = directory.find();
            if (!found.equals(contents.found())) {
                contents = CatalogContents.load(found, SystemTables.DATABASE, classLoader);
            }
            return contents;
        } catch (IOException e) {
            throw new CatalogException(e.getMessage(), e);
        }
    }

    private static Map<String, StateTable> tables(Database database) {
        try {
            return database.operator().tables();
        } catch (IOException e) {
            throw new CatalogException(e.getMessage(), e);
        }
    }

    @Override
    public List<String> listDatabases() {
        List<String> names = new ArrayList<>(contents().databases().keySet());
        names.add(SystemTables.DATABASE);
        return names;
    }

    @Override
    public boolean databaseExists(String databaseName) {
        return databaseName.equals(SystemTables.DATABASE)
                || contents().databases().containsKey(databaseName);
    }

    @Override
    public CatalogDatabase getDatabase(String databaseName) throws DatabaseNotExistException {
        if (databaseName.equals(SystemTables.DATABASE)) {
            return new CatalogDatabaseImpl(Map.of(), "What there is in this catalog");
        }
        Database database = database(databaseName);
        return new CatalogDatabaseImpl(
                Map.of(
                        "checkpoint", database.checkpoint().directory().toString(),
                        "uid-hash", database.operator().hash()),
                "Operator '" + database.operator().name() + "'");
    }

    private Database database(String name) throws DatabaseNotExistException {
        Database database = contents().databases().get(name);
        if (database == null) {
            throw new DatabaseNotExistException(getName(), name);
        }
        return database;
    }

    @Override
    public List<String> listTables(String databaseName) throws DatabaseNotExistException {
        return databaseName.equals(SystemTables.DATABASE)
                ? SystemTables.names()
                : List.copyOf(tables(database(databaseName)).keySet());
    }

    @Override
    public boolean tableExists(ObjectPath tablePath) {
        return find(tablePath).isPresent();
    }

    @Override
    public CatalogBaseTable getTable(ObjectPath tablePath) throws TableNotExistException {
        return find(tablePath).orElseThrow(() -> new TableNotExistException(getName(), tablePath));
    }

    private Optional<StateCatalogTable> find(ObjectPath path) {
        CatalogContents current = contents();
        if (path.getDatabaseName().equals(SystemTables.DATABASE)) {
            return SystemTables.table(path.getObjectName(), current);
        }
        return Optional.ofNullable(current.databases().get(path.getDatabaseName()))
                .flatMap(
                        database ->
                                Optional.ofNullable(tables(database).get(path.getObjectName()))
                                        .map(table -> table(table, database)));
    }

    private static StateCatalogTable table(StateTable table, Database database) {
        Schema.Builder schema = Schema.newBuilder();
        for (StateColumn column : table.columns()) {
            schema.column(column.name(), TypeConversions.fromLogicalToDataType(column.type()));
        }
        return new StateCatalogTable(
                schema.build(),
                table.title(),
                Map.of("checkpoint", database.checkpoint().directory().toString()),
                table::format);
    }
}
