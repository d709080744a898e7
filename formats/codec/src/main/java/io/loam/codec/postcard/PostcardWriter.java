package io.loam.codec.postcard;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * Writes postcard 1.x: varints little groups first, floats as little-endian bits, byte sequences
 * and strings behind their length. Not thread-safe.
 */
public final class PostcardWriter {
    private byte[] buffer;
    private int length;

    public PostcardWriter() {
        this(64);
    }

    public PostcardWriter(int capacity) {
        buffer = new byte[Math.max(capacity, 16)];
    }

    public PostcardWriter u8(int value) {
        ensure(1);
        buffer[length++] = (byte) value;
        return this;
    }

    public PostcardWriter bool(boolean value) {
        return u8(value ? 1 : 0);
    }

    /** An unsigned 32-bit varint. */
    public PostcardWriter u32(int value) {
        return u64(value & 0xffffffffL);
    }

    /** An unsigned 64-bit varint. */
    public PostcardWriter u64(long value) {
        ensure(10);
        long rest = value;
        while ((rest & ~0x7fL) != 0) {
            buffer[length++] = (byte) (rest | 0x80);
            rest >>>= 7;
        }
        buffer[length++] = (byte) rest;
        return this;
    }

    /** The length of a sequence or the variant of an enum. */
    public PostcardWriter size(int value) {
        return u32(value);
    }

    public PostcardWriter f32(float value) {
        ensure(4);
        int bits = Float.floatToRawIntBits(value);
        for (int shift = 0; shift < 32; shift += 8) {
            buffer[length++] = (byte) (bits >>> shift);
        }
        return this;
    }

    /** Bytes behind their length. */
    public PostcardWriter bytes(byte[] value) {
        return size(value.length).raw(value);
    }

    /** Bytes alone. */
    public PostcardWriter raw(byte[] value) {
        return raw(value, 0, value.length);
    }

    /** {@code count} bytes of an array from {@code from}, alone. */
    public PostcardWriter raw(byte[] value, int from, int count) {
        ensure(count);
        System.arraycopy(value, from, buffer, length, count);
        length += count;
        return this;
    }

    public PostcardWriter string(String value) {
        return bytes(value.getBytes(StandardCharsets.UTF_8));
    }

    /** Bytes written so far. */
    public int length() {
        return length;
    }

    public byte[] toByteArray() {
        return Arrays.copyOf(buffer, length);
    }

    private void ensure(int more) {
        if (length + more > buffer.length) {
            buffer = Arrays.copyOf(buffer, Math.max(buffer.length * 2, length + more));
        }
    }
}
