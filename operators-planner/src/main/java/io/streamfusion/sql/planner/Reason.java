package io.streamfusion.sql.planner;

import java.util.Set;

/**
 * Why an operator stays on Flink. {@code docs/operators/README.md} is written from these constants,
 * and EXPLAIN shows their texts.
 */
public enum Reason {
    /** The user says so. */
    SWITCHED_OFF(
            "%s is false",
            "the switch of the operator",
            NativeKind.SOURCE,
            NativeKind.CALC,
            NativeKind.SINK,
            NativeKind.MINI_BATCH_ASSIGNER,
            NativeKind.EXCHANGE,
            NativeKind.GROUP_AGGREGATE,
            NativeKind.LOCAL_GROUP_AGGREGATE,
            NativeKind.GLOBAL_GROUP_AGGREGATE),
    /** Nobody wrote it. */
    NO_NATIVE_FORM("%s has no native form", "nobody wrote one yet", NativeKind.OTHER),
    /** Rust's answer to {@code sf_plan_check}, or that of a connector's wrapper. */
    NOT_SUPPORTED(
            "%s",
            "the words of the native library, which knows its functions, types and formats, or of"
                    + " the wrapper of a connector",
            NativeKind.SOURCE,
            NativeKind.CALC,
            NativeKind.SINK,
            NativeKind.EXCHANGE,
            NativeKind.GROUP_AGGREGATE,
            NativeKind.LOCAL_GROUP_AGGREGATE,
            NativeKind.GLOBAL_GROUP_AGGREGATE),
    /** Each operator is a task then. */
    CHAINING_OFF(
            "operators are not chained (pipeline.operator-chaining.enabled)",
            "every edge would cross the network, where batches gain nothing",
            NativeKind.SOURCE,
            NativeKind.SINK,
            NativeKind.MINI_BATCH_ASSIGNER),

    /** See {@link Islands}. */
    SINGLE_CALC(
            "a single Calc between row operators would cost two conversions",
            "with streamfusion.sql.islands = always it is native all the same",
            NativeKind.CALC),
    /** Not yet called from native code. */
    USER_FUNCTION(
            "function %s (a user's function)",
            "functions of users run in Flink's generated code",
            NativeKind.CALC,
            NativeKind.SOURCE,
            NativeKind.GROUP_AGGREGATE,
            NativeKind.LOCAL_GROUP_AGGREGATE,
            NativeKind.GLOBAL_GROUP_AGGREGATE),
    /** Neither reference, literal, field access nor call. */
    EXPRESSION(
            "the expression %s",
            "it is neither column, literal, field of a row nor call",
            NativeKind.CALC,
            NativeKind.SOURCE,
            NativeKind.GROUP_AGGREGATE,
            NativeKind.LOCAL_GROUP_AGGREGATE,
            NativeKind.GLOBAL_GROUP_AGGREGATE),

    /** Another connector. */
    CONNECTOR(
            "the connector is '%s' and not Kafka's",
            "tables of kafka are read, those of kafka and upsert-kafka are written",
            NativeKind.SOURCE,
            NativeKind.SINK),
    /** Another format. */
    FORMAT(
            "the format is '%s', not json, csv or raw",
            "bytes have to be decoded and encoded natively", NativeKind.SOURCE, NativeKind.SINK),
    /** Jackson's tree, with semantics of its own. */
    TREE_PARSER("%s is false", "that parser reads some values in another way", NativeKind.SOURCE),
    /** Bytes of keys are not read natively. */
    KEY_FORMAT("it reads the keys of records", "only values are decoded", NativeKind.SOURCE),
    /** Columns that are not in the value. */
    METADATA(
            "it has metadata columns",
            "they are not in the bytes of a record",
            NativeKind.SOURCE,
            NativeKind.SINK),
    /** What is pushed down beside watermarks. */
    PUSHED_DOWN("%s is pushed down into it", "only watermarks are", NativeKind.SOURCE),
    /** Watermarks between the rows of a batch. */
    ON_EVENT(
            "it emits watermarks on every event",
            "a batch has no place between its rows",
            NativeKind.SOURCE),
    /** An edge that is not a chained one. */
    OWN_PARALLELISM(
            "it has a parallelism of its own",
            "its rows are dealt out one by one to tasks of another number",
            NativeKind.SOURCE,
            NativeKind.SINK),
    /** A source or an assigner gives batches or nothing. */
    READ_BY_ROWS(
            "%s, which reads it, takes rows",
            "it gives batches to all its readers or to none",
            NativeKind.SOURCE,
            NativeKind.MINI_BATCH_ASSIGNER,
            NativeKind.EXCHANGE),
    /** A sink or an assigner takes batches or nothing. */
    READS_ROWS(
            "%s, which it reads, gives rows",
            "it takes batches only",
            NativeKind.SINK,
            NativeKind.MINI_BATCH_ASSIGNER,
            NativeKind.EXCHANGE),
    /** The producer splits batches by key, for one exchange. */
    SHARED_PRODUCER(
            "%s, which it reads, has other readers, too",
            "what the operator before an exchange splits is for the exchange only",
            NativeKind.EXCHANGE),
    /** Sources and assigners are Flink's operators. */
    NO_SPLIT(
            "%s, which it reads, does not split batches",
            "the operator before an exchange splits batches by key, and this one leaves them as"
                    + " they are",
            NativeKind.EXCHANGE),
    /** More than what Kafka's table connector needs. */
    SINK_OPERATOR(
            "its operator %s has no native form",
            "Flink puts operators before a sink: only the check of NOT NULL and the timestamps of"
                    + " records have one",
            NativeKind.SINK),
    /** Implicit casts that the layout of batches does not allow. */
    SINK_TYPE(
            "column %s is written as %s and comes as %s",
            "Flink writes such a column without a cast, and batches have another layout for each",
            NativeKind.SINK);

    private final String text;
    private final String why;

    @SuppressWarnings("ImmutableEnumChecker") // Of Set.of.
    private final Set<NativeKind> kinds;

    Reason(String text, String why, NativeKind... kinds) {
        this.text = text;
        this.why = why;
        this.kinds = Set.of(kinds);
    }

    /** The text with its arguments. */
    Refusal with(Object... arguments) {
        return new Refusal(String.format(text, arguments));
    }

    /** The text, with {@code %s} for arguments. */
    String text() {
        return text;
    }

    /** What a user may want to know beside. */
    String why() {
        return why;
    }

    /** Operators that may have it. */
    Set<NativeKind> kinds() {
        return kinds;
    }
}
