package io.streamfusion.matrix.verify;

import static org.assertj.core.api.Assertions.assertThat;

import io.streamfusion.matrix.verify.SinkSchema.SinkColumn;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.apache.flink.table.types.logical.BigIntType;
import org.apache.flink.table.types.logical.DecimalType;
import org.apache.flink.table.types.logical.TimestampType;
import org.apache.flink.table.types.logical.VarCharType;
import org.junit.jupiter.api.Test;

class RowTextTest {
    private static final SinkSchema SCHEMA =
            new SinkSchema(
                    List.of(
                            new SinkColumn("id", new BigIntType()),
                            new SinkColumn("price", new DecimalType(23, 3)),
                            new SinkColumn("at", new TimestampType(3)),
                            new SinkColumn("extra", new VarCharType())),
                    false);

    @Test
    void zerosAtTheEndAreThereAndTheOrderIsThatOfTheColumns() {
        assertThat(
                        text(
                                """
                                {"extra":"a\\\\b","id":7,"price":0.9,"at":"2024-02-28 23:58:20"}
                                """))
                .isEqualTo("7|0.900|2024-02-28 23:58:20.000|a\\b");
        assertThat(
                        text(
                                "{\"id\":1,\"price\":2.500,\"at\":\"2024-02-28"
                                        + " 23:58:20.01\",\"extra\":\"\"}"))
                .isEqualTo("1|2.500|2024-02-28 23:58:20.010|");
    }

    @Test
    void aDecimalKeepsItsDigits() {
        assertThat(
                        text(
                                """
                                {"id":1,"price":90799999999999999999.092,"at":null,"extra":null}
                                """))
                .isEqualTo("1|90799999999999999999.092|\\N|\\N");
        assertThat(text("{\"id\":1,\"price\":90800000}")).isEqualTo("1|90800000.000|\\N|\\N");
    }

    private static String text(String json) {
        return RowText.of(SCHEMA, json.getBytes(StandardCharsets.UTF_8));
    }
}
