package io.streamfusion.state.paimon.catalog;

import static org.assertj.core.api.Assertions.assertThat;

import io.streamfusion.state.paimon.catalog.DatabaseNames.Operator;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class DatabaseNamesTest {
    private static final String ONE = "0123456789abcdef0123456789abcdef";
    private static final String TWO = "9876543210abcdef0123456789abcdef";
    private static final String LIKE_ONE = "01234567ffffffffffffffffffffffff";

    private static Operator operator(String name, String hash) {
        return new Operator(Optional.empty(), name, hash);
    }

    @Test
    void operatorsKeepTheirNames() {
        assertThat(
                        DatabaseNames.of(
                                List.of(operator("GroupAggregate[2]", ONE), operator("Sum", TWO)),
                                "system"))
                .containsExactly("GroupAggregate[2]", "Sum");
    }

    @Test
    void equalNamesGetAHash() {
        assertThat(DatabaseNames.of(List.of(operator("Sum", ONE), operator("Sum", TWO)), "system"))
                .containsExactly("Sum-01234567", "Sum-98765432");
        assertThat(
                        DatabaseNames.of(
                                List.of(operator("Sum", ONE), operator("Sum", LIKE_ONE)), "system"))
                .containsExactly("Sum-01234567", "Sum-" + LIKE_ONE);
    }

    @Test
    void aReservedNameGetsAHash() {
        assertThat(DatabaseNames.of(List.of(operator("system", ONE)), "system"))
                .containsExactly("system-01234567");
    }

    @Test
    void jobsAreToldApart() {
        assertThat(
                        DatabaseNames.of(
                                List.of(
                                        new Operator(Optional.of(ONE), "Sum", ONE),
                                        new Operator(Optional.of(TWO), "Sum", ONE)),
                                "system"))
                .containsExactly("01234567/Sum", "98765432/Sum");
    }
}
