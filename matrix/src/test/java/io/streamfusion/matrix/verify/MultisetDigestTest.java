package io.streamfusion.matrix.verify;

import static org.assertj.core.api.Assertions.assertThat;

import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class MultisetDigestTest {
    private static final List<String> ROWS =
            IntStream.range(0, 1000).mapToObj(i -> "row " + i % 700).toList();

    @Test
    void isTheSumOfTheHashesModulo256Bits() throws Exception {
        BigInteger sum = BigInteger.ZERO;
        for (String row : ROWS) {
            byte[] hash = MessageDigest.getInstance("SHA-256").digest(bytes(row));
            sum = sum.add(leastWordFirst(hash));
        }
        BigInteger expected = sum.mod(BigInteger.ONE.shiftLeft(256));
        assertThat(digest(ROWS).hex()).isEqualTo("%064x".formatted(expected));
    }

    @Test
    void knowsNoOrder() {
        List<String> shuffled = new ArrayList<>(ROWS);
        Collections.shuffle(shuffled, new Random(1));
        assertThat(digest(shuffled).hex()).isEqualTo(digest(ROWS).hex());
    }

    @Test
    void knowsHowOftenARowIsThere() {
        List<String> other = new ArrayList<>(ROWS);
        other.set(0, ROWS.get(1));
        assertThat(digest(other).rows()).isEqualTo(digest(ROWS).rows());
        assertThat(digest(other).hex()).isNotEqualTo(digest(ROWS).hex());
        assertThat(digest(List.of("a", "a")).hex()).isNotEqualTo(digest(List.of("b", "b")).hex());
    }

    private static MultisetDigest digest(List<String> rows) {
        MultisetDigest digest = new MultisetDigest();
        rows.forEach(row -> digest.add(bytes(row)));
        return digest;
    }

    private static BigInteger leastWordFirst(byte[] hash) {
        ByteBuffer words = ByteBuffer.wrap(hash);
        ByteBuffer reversed = ByteBuffer.allocate(hash.length);
        for (int at = hash.length - Long.BYTES; at >= 0; at -= Long.BYTES) {
            reversed.putLong(words.getLong(at));
        }
        return new BigInteger(1, reversed.array());
    }

    private static byte[] bytes(String row) {
        return row.getBytes(StandardCharsets.UTF_8);
    }
}
