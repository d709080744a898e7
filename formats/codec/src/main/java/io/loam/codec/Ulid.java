package io.loam.codec;

import java.io.Serializable;
import java.nio.ByteBuffer;

/**
 * A ULID: 48 bits of milliseconds, then 80 random bits, big-endian. Its text is 26 upper-case
 * Crockford base-32 characters; text order equals byte order. Making one needs a clock and a source
 * of randomness, which callers pass in.
 */
public record Ulid(long high, long low) implements Comparable<Ulid>, Serializable {
    private static final long serialVersionUID = 1L;

    private static final char[] DIGITS = "0123456789ABCDEFGHJKMNPQRSTVWXYZ".toCharArray();
    private static final int TEXT_LENGTH = 26;
    private static final long MAX_TIME = (1L << 48) - 1;

    /** A ULID of the given time in ms since the epoch (48 bits) and 16 + 64 random bits. */
    public static Ulid of(long timeMs, int random16, long random64) {
        if (timeMs < 0 || timeMs > MAX_TIME) {
            throw new IllegalArgumentException("a ULID's time is 0..2^48-1 ms, not " + timeMs);
        }
        return new Ulid((timeMs << 16) | (random16 & 0xffffL), random64);
    }

    /** Reads 16 big-endian bytes. */
    public static Ulid fromBytes(byte[] bytes) {
        if (bytes.length != 16) {
            throw new CorruptException("a ULID has 16 bytes, not " + bytes.length);
        }
        ByteBuffer buffer = ByteBuffer.wrap(bytes);
        return new Ulid(buffer.getLong(), buffer.getLong());
    }

    /**
     * Reads 26 upper-case Crockford characters.
     *
     * @throws CorruptException if the text is anything else, or its value exceeds 128 bits
     */
    public static Ulid parse(String text) {
        if (text.length() != TEXT_LENGTH || text.charAt(0) > '7') {
            throw new CorruptException("not a ULID: \"" + text + "\"");
        }
        long high = 0;
        long low = 0;
        for (int i = 0; i < TEXT_LENGTH; i++) {
            int digit = digit(text.charAt(i));
            if (digit < 0) {
                throw new CorruptException("not a ULID: \"" + text + "\"");
            }
            high = (high << 5) | (low >>> 59);
            low = (low << 5) | digit;
        }
        return new Ulid(high, low);
    }

    private static int digit(char c) {
        for (int i = 0; i < DIGITS.length; i++) {
            if (DIGITS[i] == c) {
                return i;
            }
        }
        return -1;
    }

    /** Milliseconds since the epoch. */
    public long timeMs() {
        return high >>> 16;
    }

    /** 16 big-endian bytes, a fresh array. */
    public byte[] toBytes() {
        return ByteBuffer.allocate(16).putLong(high).putLong(low).array();
    }

    @Override
    public int compareTo(Ulid other) {
        int byHigh = Long.compareUnsigned(high, other.high);
        return byHigh != 0 ? byHigh : Long.compareUnsigned(low, other.low);
    }

    @Override
    public String toString() {
        char[] text = new char[TEXT_LENGTH];
        long h = high;
        long l = low;
        for (int i = TEXT_LENGTH - 1; i >= 0; i--) {
            text[i] = DIGITS[(int) (l & 31)];
            l = (l >>> 5) | (h << 59);
            h >>>= 5;
        }
        return new String(text);
    }
}
