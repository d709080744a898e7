package io.loam.codec.key;

import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.CodingErrorAction;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.UUID;

/**
 * A document's key, held as its canonical bytes:
 *
 * <pre>
 * U64    01 | 8 bytes big-endian
 * UUID   02 | 16 bytes
 * STR    03 | 1..512 bytes of UTF-8
 * </pre>
 *
 * Keys order by their canonical bytes, unsigned.
 */
public final class PrimaryKey implements Comparable<PrimaryKey> {
    /** The kinds of key; the tag is the first canonical byte. */
    public enum Kind {
        U64(1),
        UUID(2),
        STR(3);

        private final byte tag;

        Kind(int tag) {
            this.tag = (byte) tag;
        }
    }

    /** Most UTF-8 bytes of a STR key. */
    public static final int MAX_STRING_BYTES = 512;

    private final byte[] canonical;

    private PrimaryKey(byte[] canonical) {
        this.canonical = canonical;
    }

    /** An unsigned 64-bit key; every value is valid. */
    public static PrimaryKey ofU64(long value) {
        return new PrimaryKey(ByteBuffer.allocate(9).put(Kind.U64.tag).putLong(value).array());
    }

    public static PrimaryKey ofUuid(UUID value) {
        return new PrimaryKey(
                ByteBuffer.allocate(17)
                        .put(Kind.UUID.tag)
                        .putLong(value.getMostSignificantBits())
                        .putLong(value.getLeastSignificantBits())
                        .array());
    }

    /**
     * A string key.
     *
     * @throws InvalidKeyException if it is empty, longer than 512 UTF-8 bytes or not encodable
     */
    public static PrimaryKey ofString(String value) {
        byte[] utf8;
        try {
            ByteBuffer encoded =
                    StandardCharsets.UTF_8
                            .newEncoder()
                            .onMalformedInput(CodingErrorAction.REPORT)
                            .encode(CharBuffer.wrap(value));
            utf8 = new byte[encoded.remaining()];
            encoded.get(utf8);
        } catch (CharacterCodingException e) {
            throw new InvalidKeyException("a string key must be encodable as UTF-8");
        }
        byte[] canonical = new byte[utf8.length + 1];
        canonical[0] = Kind.STR.tag;
        System.arraycopy(utf8, 0, canonical, 1, utf8.length);
        return parseCanonical(canonical);
    }

    /**
     * Takes canonical bytes as they are; the array must not be changed afterwards.
     *
     * @throws InvalidKeyException if they are not canonical
     */
    public static PrimaryKey parseCanonical(byte[] bytes) {
        if (bytes.length == 0) {
            throw new InvalidKeyException("a key has at least one byte");
        }
        switch (bytes[0]) {
            case 1:
                requireLength(bytes, 9, "u64");
                break;
            case 2:
                requireLength(bytes, 17, "uuid");
                break;
            case 3:
                checkString(bytes);
                break;
            default:
                throw new InvalidKeyException(
                        "unknown key tag 0x" + String.format("%02x", bytes[0]));
        }
        return new PrimaryKey(bytes);
    }

    private static void requireLength(byte[] bytes, int length, String kind) {
        if (bytes.length != length) {
            throw new InvalidKeyException(
                    "a " + kind + " key has " + length + " bytes, not " + bytes.length);
        }
    }

    private static void checkString(byte[] bytes) {
        int length = bytes.length - 1;
        if (length < 1 || length > MAX_STRING_BYTES) {
            throw new InvalidKeyException(
                    "a string key has 1.." + MAX_STRING_BYTES + " bytes of UTF-8, not " + length);
        }
        try {
            StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes, 1, length));
        } catch (CharacterCodingException e) {
            throw new InvalidKeyException("a string key must be UTF-8");
        }
    }

    public Kind kind() {
        return Kind.values()[canonical[0] - 1];
    }

    /** The canonical bytes themselves, not a copy: do not change them. */
    public byte[] canonical() {
        return canonical;
    }

    /** The value of a U64 key, unsigned. */
    public long u64() {
        require(Kind.U64);
        return ByteBuffer.wrap(canonical, 1, 8).getLong();
    }

    public UUID uuid() {
        require(Kind.UUID);
        ByteBuffer body = ByteBuffer.wrap(canonical, 1, 16);
        return new UUID(body.getLong(), body.getLong());
    }

    public String string() {
        require(Kind.STR);
        return new String(canonical, 1, canonical.length - 1, StandardCharsets.UTF_8);
    }

    private void require(Kind kind) {
        if (kind() != kind) {
            throw new IllegalStateException("the key is " + kind() + ", not " + kind);
        }
    }

    @Override
    public int compareTo(PrimaryKey other) {
        return Arrays.compareUnsigned(canonical, other.canonical);
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof PrimaryKey
                && Arrays.equals(canonical, ((PrimaryKey) other).canonical);
    }

    @Override
    public int hashCode() {
        return Arrays.hashCode(canonical);
    }

    /** The key as people write it: a decimal, a hyphenated UUID or the string. */
    @Override
    public String toString() {
        switch (kind()) {
            case U64:
                return Long.toUnsignedString(u64());
            case UUID:
                return uuid().toString();
            default:
                return string();
        }
    }
}
