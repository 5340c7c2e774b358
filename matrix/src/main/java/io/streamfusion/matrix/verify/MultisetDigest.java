package io.streamfusion.matrix.verify;

import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;

/**
 * A digest of rows that does not depend on their order, yet on how often each is there: the sum of
 * their SHA-256, modulo 2^256. Takes constant memory. One thread an instance.
 */
public final class MultisetDigest {
    private static final int WORDS = 4;

    private final MessageDigest sha256;
    private final long[] sum = new long[WORDS]; // the least significant word first
    private long rows;

    /** Of no rows. */
    public MultisetDigest() {
        try {
            sha256 = MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every JDK has SHA-256", e);
        }
    }

    /** Adds a row, once more if it is there already. */
    public void add(byte[] row) {
        ByteBuffer hash = ByteBuffer.wrap(sha256.digest(row));
        long carry = 0;
        for (int i = 0; i < WORDS; i++) {
            long word = hash.getLong();
            long partial = sum[i] + word;
            long next = Long.compareUnsigned(partial, word) < 0 ? 1 : 0;
            sum[i] = partial + carry;
            if (carry != 0 && sum[i] == 0) {
                next = 1;
            }
            carry = next;
        }
        rows++;
    }

    /** Number of rows added. */
    public long rows() {
        return rows;
    }

    /** The digest in hex. */
    public String hex() {
        ByteBuffer bytes = ByteBuffer.allocate(WORDS * Long.BYTES);
        for (int i = WORDS - 1; i >= 0; i--) {
            bytes.putLong(sum[i]);
        }
        return "%064x".formatted(new BigInteger(1, bytes.array()));
    }
}
