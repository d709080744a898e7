package io.loam.codec.postcard;

import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * Reads postcard 1.x from a stretch of an array. Every failure is a {@link PostcardException};
 * nothing is allocated for a length that the input does not hold. Not thread-safe.
 */
public final class PostcardReader {
    private final byte[] input;
    private final int end;
    private int position;

    public PostcardReader(byte[] input) {
        this(input, 0, input.length);
    }

    /** Reads {@code input[from..to)}. */
    public PostcardReader(byte[] input, int from, int to) {
        this.input = input;
        this.position = from;
        this.end = to;
    }

    public int u8() {
        require(1);
        return input[position++] & 0xff;
    }

    public boolean bool() {
        int value = u8();
        if (value > 1) {
            throw new PostcardException("a bool is 0 or 1, not " + value);
        }
        return value == 1;
    }

    /** Whether an option holds a value, which then follows. */
    public boolean option() {
        int tag = u8();
        if (tag > 1) {
            throw new PostcardException("an option's tag is 0 or 1, not " + tag);
        }
        return tag == 1;
    }

    public int u16() {
        return (int) varint(3, 0x03, "u16");
    }

    /** An unsigned 32-bit varint. */
    public int u32() {
        return (int) varint(5, 0x0f, "u32");
    }

    /** An unsigned 64-bit varint. */
    public long u64() {
        return varint(10, 0x01, "u64");
    }

    private long varint(int maxBytes, int maxLast, String type) {
        long value = 0;
        for (int i = 0; i < maxBytes; i++) {
            int b = u8();
            value |= (b & 0x7fL) << (7 * i);
            if ((b & 0x80) == 0) {
                if (i == maxBytes - 1 && b > maxLast) {
                    break;
                }
                return value;
            }
        }
        throw new PostcardException("a varint exceeds " + type);
    }

    /**
     * A count of elements that take at least {@code bytesEach} bytes each; more than the rest of
     * the input can hold is refused.
     */
    public int count(int bytesEach) {
        long count = u64();
        if (count < 0 || count > remaining() / Math.max(bytesEach, 1)) {
            throw new PostcardException(
                    Long.toUnsignedString(count)
                            + " elements are announced, "
                            + remaining()
                            + " bytes are left");
        }
        return (int) count;
    }

    public float f32() {
        require(4);
        int bits =
                (input[position] & 0xff)
                        | (input[position + 1] & 0xff) << 8
                        | (input[position + 2] & 0xff) << 16
                        | (input[position + 3] & 0xff) << 24;
        position += 4;
        return Float.intBitsToFloat(bits);
    }

    /** Bytes behind their length. */
    public byte[] bytes() {
        return raw(count(1));
    }

    /** The next {@code count} bytes. */
    public byte[] raw(int count) {
        require(count);
        byte[] bytes = Arrays.copyOfRange(input, position, position + count);
        position += count;
        return bytes;
    }

    public String string() {
        int length = count(1);
        try {
            String text =
                    StandardCharsets.UTF_8
                            .newDecoder()
                            .decode(ByteBuffer.wrap(input, position, length))
                            .toString();
            position += length;
            return text;
        } catch (CharacterCodingException e) {
            throw new PostcardException("a string is not UTF-8");
        }
    }

    public int remaining() {
        return end - position;
    }

    /** Refuses leftover bytes. */
    public void expectEnd() {
        if (position != end) {
            throw new PostcardException(remaining() + " bytes are left over");
        }
    }

    private void require(int count) {
        if (count < 0 || count > remaining()) {
            throw new PostcardException(
                    "the input ends: " + count + " bytes needed, " + remaining() + " left");
        }
    }
}
