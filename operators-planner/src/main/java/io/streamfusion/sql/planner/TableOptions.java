package io.streamfusion.sql.planner;

import io.streamfusion.plan.proto.CsvReader;
import io.streamfusion.plan.proto.CsvWriter;
import io.streamfusion.plan.proto.Form;
import io.streamfusion.plan.proto.JsonReader;
import io.streamfusion.plan.proto.JsonWriter;
import io.streamfusion.plan.proto.Raw;
import io.streamfusion.plan.proto.Reader;
import io.streamfusion.plan.proto.TimestampFormat;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import org.apache.flink.configuration.ConfigOption;
import org.apache.flink.configuration.ConfigOptions;
import org.apache.flink.configuration.Configuration;

/**
 * The options of a table's connector and formats. Flink has checked them by then. The options'
 * classes may be in a user's jar, so their keys and defaults are written here again.
 */
final class TableOptions {
    private static final String FORMAT = "format";
    private static final String VALUE = "value.";
    private static final String KEY = "key.";

    private final Configuration options;

    TableOptions(Map<String, String> options) {
        this.options = Configuration.fromMap(options);
    }

    /** Which connector the table has; empty for a catalog's own tables. */
    String connector() {
        return text("connector", "");
    }

    /** Adds the format of the values to a reader. */
    void readValues(Reader.Builder reader) throws Refusal {
        String format = format(VALUE).orElseGet(() -> text(FORMAT, ""));
        String prefix = prefix(VALUE, format);
        switch (format) {
            case "json" -> reader.setJson(jsonReader(prefix));
            case "csv" -> reader.setCsv(csvReader(prefix));
            case "raw" -> reader.setRaw(raw(prefix));
            default -> throw Reason.FORMAT.with(format);
        }
    }

    /** Adds the format of the values to a form. */
    void writeValues(Form.Builder form) throws Refusal {
        String format = format(VALUE).orElseGet(() -> text(FORMAT, ""));
        write(form, format, prefix(VALUE, format));
    }

    /** Adds the format of the keys to a form. */
    void writeKeys(Form.Builder form) throws Refusal {
        String format = format(KEY).orElse("");
        write(form, format, prefix(KEY, format));
    }

    private void write(Form.Builder form, String format, String prefix) throws Refusal {
        switch (format) {
            case "json" -> form.setJson(jsonWriter(prefix));
            case "csv" -> form.setCsv(csvWriter(prefix));
            case "raw" -> form.setRaw(raw(prefix));
            default -> throw Reason.FORMAT.with(format);
        }
    }

    private Optional<String> format(String part) {
        return options.getOptional(option(part + FORMAT).stringType().noDefaultValue());
    }

    /** Options of a format that is named by {@code format} have no part in front. */
    private String prefix(String part, String format) {
        return (format(part).isPresent() ? part : "") + format + ".";
    }

    private JsonReader jsonReader(String prefix) throws Refusal {
        if (!flag(prefix + "decode.json-parser.enabled", true)) {
            throw Reason.TREE_PARSER.with(prefix + "decode.json-parser.enabled");
        }
        return JsonReader.newBuilder()
                .setIgnoreParseErrors(flag(prefix + "ignore-parse-errors", false))
                .setFailOnMissingField(flag(prefix + "fail-on-missing-field", false))
                .setTimestampFormat(timestampFormat(prefix))
                .build();
    }

    private JsonWriter jsonWriter(String prefix) throws Refusal {
        return JsonWriter.newBuilder()
                .setTimestampFormat(timestampFormat(prefix))
                .setMapNullKey(mapNullKey(prefix))
                .setMapNullKeyLiteral(text(prefix + "map-null-key.literal", "null"))
                .setDecimalAsPlainNumber(flag(prefix + "encode.decimal-as-plain-number", false))
                .setIgnoreNullFields(flag(prefix + "encode.ignore-null-fields", false))
                .build();
    }

    private TimestampFormat timestampFormat(String prefix) throws Refusal {
        String standard = text(prefix + "timestamp-format.standard", "SQL");
        return switch (standard) {
            case "SQL" -> TimestampFormat.SQL;
            case "ISO-8601" -> TimestampFormat.ISO_8601;
            default ->
                    throw Reason.NOT_SUPPORTED.with(
                            prefix + "timestamp-format.standard is " + standard);
        };
    }

    private JsonWriter.MapNullKey mapNullKey(String prefix) throws Refusal {
        String mode = text(prefix + "map-null-key.mode", "FAIL");
        return switch (mode.toUpperCase(Locale.ROOT)) {
            case "FAIL" -> JsonWriter.MapNullKey.FAIL;
            case "DROP" -> JsonWriter.MapNullKey.DROP;
            case "LITERAL" -> JsonWriter.MapNullKey.LITERAL;
            default -> throw Reason.NOT_SUPPORTED.with(prefix + "map-null-key.mode is " + mode);
        };
    }

    private CsvReader csvReader(String prefix) throws Refusal {
        CsvReader.Builder csv =
                CsvReader.newBuilder()
                        .setFieldDelimiter(plain(prefix + "field-delimiter", ","))
                        .setQuoteCharacter(quote(prefix))
                        .setEscapeCharacter(text(prefix + "escape-character", ""))
                        .setArrayElementDelimiter(text(prefix + "array-element-delimiter", ";"))
                        .setAllowComments(flag(prefix + "allow-comments", false))
                        .setIgnoreParseErrors(flag(prefix + "ignore-parse-errors", false));
        nullLiteral(prefix).ifPresent(csv::setNullLiteral);
        return csv.build();
    }

    private CsvWriter csvWriter(String prefix) throws Refusal {
        CsvWriter.Builder csv =
                CsvWriter.newBuilder()
                        .setFieldDelimiter(plain(prefix + "field-delimiter", ","))
                        .setQuoteCharacter(quote(prefix))
                        .setEscapeCharacter(text(prefix + "escape-character", ""))
                        .setArrayElementDelimiter(text(prefix + "array-element-delimiter", ";"))
                        .setWriteBigDecimalInScientificNotation(
                                flag(prefix + "write-bigdecimal-in-scientific-notation", true));
        nullLiteral(prefix).ifPresent(csv::setNullLiteral);
        return csv.build();
    }

    private String quote(String prefix) {
        return flag(prefix + "disable-quote-character", false)
                ? ""
                : text(prefix + "quote-character", "\"");
    }

    private Optional<String> nullLiteral(String prefix) {
        return options.getOptional(option(prefix + "null-literal").stringType().noDefaultValue());
    }

    /** Flink reads Java's escapes in it; we do not. */
    private String plain(String key, String absent) throws Refusal {
        String value = text(key, absent);
        if (value.indexOf('\\') >= 0) {
            throw Reason.NOT_SUPPORTED.with(key + " has an escape");
        }
        return value;
    }

    private Raw raw(String prefix) {
        return Raw.newBuilder()
                .setLittleEndian(text(prefix + "endianness", "big-endian").equals("little-endian"))
                .setCharset(text(prefix + "charset", "UTF-8"))
                .build();
    }

    private String text(String key, String absent) {
        return options.get(option(key).stringType().defaultValue(absent));
    }

    private boolean flag(String key, boolean absent) {
        ConfigOption<Boolean> flag = option(key).booleanType().defaultValue(absent);
        return options.get(flag);
    }

    private static ConfigOptions.OptionBuilder option(String key) {
        return ConfigOptions.key(key);
    }
}
