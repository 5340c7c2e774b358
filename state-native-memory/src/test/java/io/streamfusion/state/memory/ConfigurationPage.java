package io.streamfusion.state.memory;

import java.io.IOException;
import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.Type;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.apache.flink.configuration.ConfigOption;
import org.apache.flink.configuration.MemorySize;
import org.apache.flink.configuration.description.HtmlFormatter;

/**
 * Writes the page of the user guide that lists the configuration options, from the options
 * themselves. Run {@link #main} with the path of the page after changing an option.
 */
public final class ConfigurationPage {
    private static final String HEAD =
            """
            # Configuration

            Written from `StreamFusionOptions`; do not edit.

            Besides these options the backend follows Flink's own, among them
            `execution.checkpointing.incremental` (on for this backend unless it is switched off
            explicitly), `execution.checkpointing.local-backup.enabled` and the options of managed
            memory.

            | Option | Default | Type | Meaning |
            |---|---|---|---|
            """;

    private ConfigurationPage() {}

    /** Writes the page to {@code args[0]}. */
    public static void main(String[] args) throws IOException {
        Path page = Path.of(args[0]);
        Files.createDirectories(page.toAbsolutePath().getParent());
        Files.writeString(page, render());
    }

    static String render() {
        return render(HEAD, StreamFusionOptions.class);
    }

    /**
     * A page of options.
     *
     * @param head what stands before the rows of the table
     * @param options class with the options as public constants
     */
    public static String render(String head, Class<?> options) {
        StringBuilder page = new StringBuilder(head);
        for (Field field : optionFields(options)) {
            ConfigOption<?> option = valueOf(field);
            page.append("| `")
                    .append(option.key())
                    .append("` | ")
                    .append(defaultOf(option))
                    .append(" | ")
                    .append(typeOf(field))
                    .append(" | ")
                    .append(new HtmlFormatter().format(option.description()))
                    .append(" |\n");
        }
        return page.toString();
    }

    private static List<Field> optionFields(Class<?> options) {
        List<Field> fields = new ArrayList<>();
        for (Field field : options.getDeclaredFields()) {
            if (Modifier.isPublic(field.getModifiers())
                    && field.getType().equals(ConfigOption.class)) {
                fields.add(field);
            }
        }
        fields.sort(Comparator.comparing(field -> valueOf(field).key()));
        return fields;
    }

    private static ConfigOption<?> valueOf(Field field) {
        try {
            return (ConfigOption<?>) field.get(null);
        } catch (IllegalAccessException e) {
            throw new IllegalStateException(e);
        }
    }

    private static String defaultOf(ConfigOption<?> option) {
        return option.hasDefaultValue() ? "`" + text(option.defaultValue()) + "`" : "(none)";
    }

    private static String text(Object value) {
        return value instanceof MemorySize size ? size.getKibiBytes() + "kb" : value.toString();
    }

    private static String typeOf(Field field) {
        Type type = ((ParameterizedType) field.getGenericType()).getActualTypeArguments()[0];
        if (type instanceof ParameterizedType list) {
            return "List of " + ((Class<?>) list.getActualTypeArguments()[0]).getSimpleName();
        }
        Class<?> of = (Class<?>) type;
        if (!of.isEnum()) {
            return of.getSimpleName();
        }
        List<String> names = new ArrayList<>();
        for (Object constant : of.getEnumConstants()) {
            names.add("`" + constant + "`");
        }
        return String.join(", ", names);
    }
}
