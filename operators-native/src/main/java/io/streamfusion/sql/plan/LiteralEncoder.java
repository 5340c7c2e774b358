package io.streamfusion.sql.plan;

import com.google.protobuf.ByteString;
import io.streamfusion.plan.proto.Literal;
import io.streamfusion.plan.proto.Timestamp;
import java.nio.charset.StandardCharsets;
import org.apache.flink.table.data.DecimalData;
import org.apache.flink.table.data.StringData;
import org.apache.flink.table.data.TimestampData;

/**
 * Writes values in Flink's internal form as messages. It is here, and not with the planner's
 * encoders, because only this module's class loader has to know protobuf's own classes.
 */
public final class LiteralEncoder {
    private LiteralEncoder() {}

    /**
     * The message for a value of a scalar type, or for a text.
     *
     * @throws IllegalArgumentException when it is of another class
     */
    public static Literal encode(Object value) {
        Literal.Builder message = Literal.newBuilder();
        switch (value) {
            case null -> {}
            case Boolean flag -> message.setBoolean(flag);
            case Byte number -> message.setInteger(number);
            case Short number -> message.setInteger(number);
            case Integer number -> message.setInteger(number);
            case Long number -> message.setInteger(number);
            case Float number -> message.setFloating(number);
            case Double number -> message.setFloating(number);
            case String text -> message.setBytes(ByteString.copyFrom(text, StandardCharsets.UTF_8));
            case StringData text -> message.setBytes(ByteString.copyFrom(text.toBytes()));
            case byte[] bytes -> message.setBytes(ByteString.copyFrom(bytes));
            case DecimalData decimal ->
                    message.setDecimal(ByteString.copyFrom(decimal.toUnscaledBytes()));
            case TimestampData time ->
                    message.setTimestamp(
                            Timestamp.newBuilder()
                                    .setMillisecond(time.getMillisecond())
                                    .setNanoOfMillisecond(time.getNanoOfMillisecond()));
            default ->
                    throw new IllegalArgumentException(
                            "a " + value.getClass().getName() + " is no literal");
        }
        return message.build();
    }
}
