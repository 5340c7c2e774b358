package io.streamfusion.nexmark.query;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class TiedRanksTest {
    @Test
    void tiesHaveTheOrderOfTheirTimes() {
        assertThat(
                        TiedRanks.inOrderOfTime(
                                List.of(row(50, "b", 2), row(50, "a", 3), row(90, "c", 1))))
                .containsExactlyInAnyOrder(row(50, "a", 2), row(50, "b", 3), row(90, "c", 1));
    }

    @Test
    void theOrderOfTiesMakesNoDifference() {
        assertThat(
                        TiedRanks.same(
                                List.of(row(50, "a", 1), row(50, "b", 2)),
                                List.of(row(50, "b", 1), row(50, "a", 2))))
                .isTrue();
    }

    @Test
    void anythingElseDoes() {
        List<String> rows = List.of(row(50, "a", 1), row(40, "b", 2));
        assertThat(TiedRanks.same(rows, List.of(row(50, "a", 1), row(40, "c", 2)))).isFalse();
        assertThat(TiedRanks.same(rows, List.of(row(50, "a", 1), row(41, "b", 2)))).isFalse();
        assertThat(TiedRanks.same(rows, List.of(row(50, "a", 1)))).isFalse();
        List<String> twice = new ArrayList<>(rows);
        twice.add(rows.getFirst());
        assertThat(TiedRanks.same(rows, twice)).isFalse();
    }

    @Test
    void whichOfTheTiedHasTheLastRankMakesNone() {
        List<String> some = List.of(row(50, "a", 9), row(50, "b", 10));
        assertThat(TiedRanks.same(some, List.of(row(50, "b", 9), row(50, "c", 10)))).isTrue();
        assertThat(TiedRanks.same(some, List.of(row(50, "b", 9), row(40, "c", 10)))).isFalse();
        assertThat(TiedRanks.same(some, List.of(row(50, "b", 9)))).isFalse();
    }

    /** auction, bidder, price, channel, url, dateTime, extra, rank_number. */
    private static String row(int price, String time, int rank) {
        return "7|1|" + price + "|channel|url|" + time + "|extra|" + rank;
    }
}
