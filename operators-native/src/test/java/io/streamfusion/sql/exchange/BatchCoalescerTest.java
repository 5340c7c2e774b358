package io.streamfusion.sql.exchange;

import static org.assertj.core.api.Assertions.assertThat;

import io.streamfusion.ffi.NativeBatch;
import io.streamfusion.ffi.NativeBudget;
import io.streamfusion.state.memory.testing.NoNativeLeaks;
import java.util.ArrayList;
import java.util.List;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.types.logical.RowType;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Small batches become one. */
@ExtendWith(NoNativeLeaks.class)
class BatchCoalescerTest {
    @Test
    void rowsAreJoinedInTheOrderOfTheirArrival() {
        RandomRows random = new RandomRows(1);
        RowType type = random.type(5);
        try (NativeBudget budget = NativeBudget.create(64 << 20, "");
                Batches batches = new Batches(budget, type);
                BatchCoalescer coalescer = new BatchCoalescer(budget, 100, Long.MAX_VALUE)) {
            for (int round = 0; round < 3; round++) {
                List<RowData> all = new ArrayList<>();
                while (!coalescer.isFull()) {
                    List<RowData> rows = random.rows(type, 1 + all.size() / 2);
                    all.addAll(rows);
                    coalescer.add(batches.of(rows));
                    assertThat(coalescer.rows()).isEqualTo(all.size());
                    assertThat(coalescer.isFull()).isEqualTo(all.size() >= 100);
                }
                try (NativeBatch joined = coalescer.take()) {
                    assertThat(batches.rowsOf(joined)).isEqualTo(batches.binary(all));
                }
                assertThat(coalescer.rows()).isZero();
            }
        }
    }

    @Test
    void bytesMakeItFullToo() {
        RandomRows random = new RandomRows(2);
        RowType type = random.type(5);
        try (NativeBudget budget = NativeBudget.create(64 << 20, "");
                Batches batches = new Batches(budget, type);
                BatchCoalescer coalescer = new BatchCoalescer(budget, Integer.MAX_VALUE, 1)) {
            NativeBatch only = batches.of(random.rows(type, 1));
            coalescer.add(only);
            assertThat(coalescer.isFull()).isTrue();
            try (NativeBatch taken = coalescer.take()) {
                assertThat(taken).isSameAs(only);
            }
        }
    }

    @Test
    void closingFreesWhatIsHeld() {
        RandomRows random = new RandomRows(3);
        RowType type = random.type(5);
        try (NativeBudget budget = NativeBudget.create(64 << 20, "");
                Batches batches = new Batches(budget, type)) {
            BatchCoalescer coalescer = new BatchCoalescer(budget, 100, Long.MAX_VALUE);
            NativeBatch first = batches.of(random.rows(type, 1));
            NativeBatch second = batches.of(random.rows(type, 1));
            coalescer.add(first);
            coalescer.add(second);
            coalescer.close();
            assertThat(first.isClosed()).isTrue();
            assertThat(second.isClosed()).isTrue();
        }
    }
}
