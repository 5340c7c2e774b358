package io.streamfusion.state.paimon.catalog;

import java.util.Set;
import org.apache.flink.configuration.ConfigOption;
import org.apache.flink.configuration.ConfigOptions;
import org.apache.flink.table.api.ValidationException;
import org.apache.flink.table.catalog.Catalog;
import org.apache.flink.table.factories.CatalogFactory;
import org.apache.flink.table.factories.FactoryUtil;

/**
 * Creates catalogs of type {@code streamfusion-state}.
 *
 * <p>Every SQL program with our jar on its class path loads this class, so it runs on Java 11 and
 * names no class that needs a newer one.
 */
public final class StateCatalogFactory implements CatalogFactory {
    /** Where the checkpoints are. */
    public static final ConfigOption<String> PATH =
            ConfigOptions.key("path")
                    .stringType()
                    .noDefaultValue()
                    .withDescription(
                            "A job's checkpoint directory (with chk-1, chk-2 and so on), a"
                                    + " directory of such directories, one checkpoint, or a"
                                    + " savepoint in native format.");

    /** Which checkpoint. */
    public static final ConfigOption<Long> CHECKPOINT =
            ConfigOptions.key("checkpoint")
                    .longType()
                    .noDefaultValue()
                    .withDescription(
                            "Number of the checkpoint. Without it each query reads the latest"
                                    + " completed one.");

    private static final String CATALOG = "io.streamfusion.state.paimon.catalog.StateCatalog";
    private static final int NEEDED_JAVA = 22;

    @Override
    public String factoryIdentifier() {
        return "streamfusion-state";
    }

    @Override
    public Set<ConfigOption<?>> requiredOptions() {
        return Set.of(PATH);
    }

    @Override
    public Set<ConfigOption<?>> optionalOptions() {
        return Set.of(CHECKPOINT);
    }

    @Override
    public Catalog createCatalog(Context context) {
        FactoryUtil.CatalogFactoryHelper helper =
                FactoryUtil.createCatalogFactoryHelper(this, context);
        helper.validate();
        int java = Runtime.version().feature();
        if (java < NEEDED_JAVA) {
            throw new ValidationException(
                    "A catalog of type "
                            + factoryIdentifier()
                            + " needs Java "
                            + NEEDED_JAVA
                            + " or newer, but this process runs on Java "
                            + java
                            + ".");
        }
        try {
            return Class.forName(CATALOG, true, getClass().getClassLoader())
                    .asSubclass(Catalog.class)
                    .getConstructor(String.class, String.class, Long.class, ClassLoader.class)
                    .newInstance(
                            context.getName(),
                            helper.getOptions().get(PATH),
                            helper.getOptions().getOptional(CHECKPOINT).orElse(null),
                            context.getClassLoader());
        } catch (ReflectiveOperationException | LinkageError e) {
            throw new ValidationException(
                    "A catalog of type "
                            + factoryIdentifier()
                            + " needs Paimon's Flink connector (paimon-flink-2.0) on the class"
                            + " path: "
                            + e,
                    e);
        }
    }
}
