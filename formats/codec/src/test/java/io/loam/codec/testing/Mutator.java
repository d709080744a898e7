package io.loam.codec.testing;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Random;

/** Damages bytes the way disks, networks and people do. The same seed gives the same damage. */
final class Mutator {
    private static final int MAX_INSERTED = 16;
    private static final int MAX_RUN = 64;
    private static final int MAX_REPEATS = 64;
    private static final int MAX_NESTING = 4_000;
    private static final int MAX_BYTES = 1 << 16;
    private static final int[] BYTES = {0, 1, 0x0a, 0x20, 0x7f, 0x80, 0xfe, 0xff};
    private static final long[] NUMBERS = {
        0,
        1,
        -1,
        127,
        128,
        255,
        256,
        0x7fff,
        0x8000,
        0xffff,
        0x10000,
        Integer.MAX_VALUE,
        Integer.MAX_VALUE - 8,
        0x80000000L,
        0xffffffffL,
        0x100000000L,
        1L << 53,
        Long.MAX_VALUE,
        Long.MIN_VALUE,
        Long.MIN_VALUE + 1
    };

    private final Random random;
    private final List<byte[]> words;

    /**
     * @param words that mean something to the decoder; inserted whole, and many times in a row
     */
    Mutator(Random random, List<String> words) {
        this.random = random;
        this.words = words.stream().map(w -> w.getBytes(StandardCharsets.UTF_8)).toList();
    }

    /** Damages {@code input} in one to six places; {@code other} lends pieces. */
    byte[] mutate(byte[] input, byte[] other) {
        byte[] bytes = input;
        int changes = 1 + random.nextInt(random.nextInt(6) + 1);
        for (int i = 0; i < changes; i++) {
            bytes = change(bytes, other);
        }
        return bytes.length > MAX_BYTES ? Arrays.copyOf(bytes, MAX_BYTES) : bytes;
    }

    private byte[] change(byte[] bytes, byte[] other) {
        if (bytes.length == 0) {
            return insert(bytes, randomBytes());
        }
        return switch (random.nextInt(words.isEmpty() ? 14 : 17)) {
            case 0, 1 -> flip(bytes);
            case 2 -> set(bytes, random.nextInt(256));
            case 3 -> set(bytes, BYTES[random.nextInt(BYTES.length)]);
            case 4 -> insert(bytes, randomBytes());
            case 5 -> delete(bytes);
            case 6 -> Arrays.copyOf(bytes, random.nextInt(bytes.length));
            case 7 -> splice(bytes, other);
            case 8 -> overwrite(bytes, fixed());
            case 9 -> overwrite(bytes, varint());
            case 10 -> insert(bytes, varint());
            case 11 -> overwrite(bytes, run());
            case 12 -> repeat(bytes);
            case 13 -> overwrite(bytes, slice(other));
            case 14, 15 -> insert(bytes, word());
            default -> insert(bytes, nested());
        };
    }

    private byte[] flip(byte[] bytes) {
        byte[] changed = bytes.clone();
        changed[random.nextInt(changed.length)] ^= (byte) (1 << random.nextInt(8));
        return changed;
    }

    private byte[] set(byte[] bytes, int value) {
        byte[] changed = bytes.clone();
        changed[random.nextInt(changed.length)] = (byte) value;
        return changed;
    }

    private byte[] insert(byte[] bytes, byte[] inserted) {
        int at = random.nextInt(bytes.length + 1);
        return join(
                Arrays.copyOf(bytes, at), inserted, Arrays.copyOfRange(bytes, at, bytes.length));
    }

    private byte[] delete(byte[] bytes) {
        int from = random.nextInt(bytes.length);
        int to = Math.min(bytes.length, from + 1 + random.nextInt(MAX_INSERTED));
        return join(Arrays.copyOf(bytes, from), Arrays.copyOfRange(bytes, to, bytes.length));
    }

    private byte[] splice(byte[] bytes, byte[] other) {
        int from = random.nextInt(other.length + 1);
        return join(
                Arrays.copyOf(bytes, random.nextInt(bytes.length + 1)),
                Arrays.copyOfRange(other, from, other.length));
    }

    private byte[] overwrite(byte[] bytes, byte[] piece) {
        byte[] changed = bytes.clone();
        int at = random.nextInt(changed.length);
        System.arraycopy(piece, 0, changed, at, Math.min(piece.length, changed.length - at));
        return changed;
    }

    private byte[] repeat(byte[] bytes) {
        byte[] block = slice(bytes);
        return insert(bytes, times(block, 1 + random.nextInt(MAX_REPEATS)));
    }

    /** A number of 2, 4 or 8 bytes in either order. */
    private byte[] fixed() {
        ByteBuffer number =
                ByteBuffer.allocate(Long.BYTES)
                        .order(
                                random.nextBoolean()
                                        ? ByteOrder.BIG_ENDIAN
                                        : ByteOrder.LITTLE_ENDIAN);
        long value = number();
        return switch (random.nextInt(3)) {
            case 0 -> Arrays.copyOf(number.putShort((short) value).array(), Short.BYTES);
            case 1 -> Arrays.copyOf(number.putInt((int) value).array(), Integer.BYTES);
            default -> number.putLong(value).array();
        };
    }

    /** A varint: extreme, longer than it need be, or never ending. */
    private byte[] varint() {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        long value = number();
        int padding = random.nextInt(3) == 0 ? random.nextInt(12) : 0;
        while ((value & ~0x7fL) != 0) {
            out.write((int) (value & 0x7f | 0x80));
            value >>>= 7;
        }
        out.write((int) value | (padding > 0 ? 0x80 : 0));
        for (int i = 0; i < padding; i++) {
            out.write(0x80);
        }
        if (padding > 0 && random.nextBoolean()) {
            out.write(0);
        }
        return out.toByteArray();
    }

    long number() {
        return NUMBERS[random.nextInt(NUMBERS.length)];
    }

    private byte[] run() {
        byte[] run = new byte[1 + random.nextInt(MAX_RUN)];
        Arrays.fill(run, (byte) BYTES[random.nextInt(BYTES.length)]);
        return run;
    }

    private byte[] randomBytes() {
        byte[] bytes = new byte[1 + random.nextInt(MAX_INSERTED)];
        random.nextBytes(bytes);
        return bytes;
    }

    private byte[] word() {
        return words.get(random.nextInt(words.size()));
    }

    private byte[] nested() {
        return times(word(), 1 + random.nextInt(random.nextInt(MAX_NESTING) + 1));
    }

    private byte[] slice(byte[] bytes) {
        int from = random.nextInt(bytes.length + 1);
        int length = random.nextInt(Math.min(bytes.length - from, MAX_RUN) + 1);
        return Arrays.copyOfRange(bytes, from, from + length);
    }

    /** About {@code size} bytes: a piece of the input, or a word, over and over in its place. */
    byte[] inflate(byte[] input, int size) {
        boolean word = !words.isEmpty() && random.nextInt(3) == 0;
        byte[] block = word ? word() : slice(input);
        if (block.length == 0) {
            block = run();
        }
        return insert(input, times(block, size / block.length + 1));
    }

    private static byte[] times(byte[] block, int count) {
        byte[] bytes = new byte[block.length * count];
        for (int i = 0; i < count; i++) {
            System.arraycopy(block, 0, bytes, i * block.length, block.length);
        }
        return bytes;
    }

    static byte[] join(byte[]... parts) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        for (byte[] part : parts) {
            out.writeBytes(part);
        }
        return out.toByteArray();
    }
}
