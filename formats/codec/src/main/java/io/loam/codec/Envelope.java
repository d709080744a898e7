package io.loam.codec;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.zip.CRC32C;

/**
 * The frame around every small object of a collection:
 *
 * <pre>
 * magic      4 bytes ASCII
 * version    u16 LE
 * body
 * checksum   u32 LE, CRC-32C of all bytes before it
 * </pre>
 *
 * <p>Reading checks, in this order: length, magic, checksum, version. The checksum comes before the
 * version, so that a damaged version field is not mistaken for an object of another release.
 */
public final class Envelope {
    private static final int MAGIC_BYTES = 4;
    private static final int VERSION_BYTES = 2;
    private static final int CHECKSUM_BYTES = 4;

    /** Bytes before the body. */
    public static final int PREFIX_BYTES = MAGIC_BYTES + VERSION_BYTES;

    /** Bytes of an object with an empty body. */
    public static final int MIN_BYTES = PREFIX_BYTES + CHECKSUM_BYTES;

    /** Format version that is written. */
    public static final int WRITTEN_VERSION = 1;

    /** Oldest format version that is read. */
    public static final int OLDEST_VERSION = 1;

    private Envelope() {}

    /** Kinds of enveloped object; the name is the magic. */
    public enum Type {
        /** Collection manifest. */
        OPCM,
        /** Delete bitmap of one split. */
        OPDB,
        /** PK delta of one commit. */
        OPPD,
        /** Dead letters of one commit. */
        OPDL,
        /** Descriptor of a hot artifact. */
        OPHD,
        /** Rows covered by a hot artifact. */
        OPHC,
        /** User operation too large for its manifest. */
        OPUO,
        /** Descriptor of a staged unit. */
        OPSU,
        /** Key list of a staged unit. */
        OPSK,
        /** Dead letters of a staged unit. */
        OPSD,
        /** What a segment of a vector index was built with. */
        OPIM,
        /** Request of an erasure. */
        OPER,
        /** History was released for an erasure. */
        OPEX,
        /** An erasure is complete. */
        OPEC;

        private final byte[] magic = name().getBytes(StandardCharsets.US_ASCII);
    }

    /** Puts the frame around a body. */
    public static byte[] wrap(Type type, byte[] body) {
        ByteBuffer object =
                ByteBuffer.allocate(MIN_BYTES + body.length).order(ByteOrder.LITTLE_ENDIAN);
        object.put(type.magic).putShort((short) WRITTEN_VERSION).put(body);
        object.putInt(checksum(object.array(), object.position()));
        return object.array();
    }

    /**
     * Checks the frame and returns the body.
     *
     * @param path names the object in the exception's message
     * @throws CorruptException if the frame is damaged, of another type or of an unknown version
     */
    public static byte[] unwrap(Type type, byte[] object, String path) {
        if (object.length < MIN_BYTES) {
            throw new CorruptException(
                    path
                            + ": too short for an envelope: found "
                            + object.length
                            + " bytes, expected at least "
                            + MIN_BYTES);
        }
        if (!Arrays.equals(object, 0, MAGIC_BYTES, type.magic, 0, MAGIC_BYTES)) {
            throw new CorruptException(
                    path + ": wrong magic: found " + printable(object) + ", expected " + type);
        }
        ByteBuffer buffer = ByteBuffer.wrap(object).order(ByteOrder.LITTLE_ENDIAN);
        int end = object.length - CHECKSUM_BYTES;
        int stored = buffer.getInt(end);
        int computed = checksum(object, end);
        if (stored != computed) {
            throw new CorruptException(
                    String.format(
                            "%s: crc32c of the bytes is %08x, expected %08x",
                            path, computed, stored));
        }
        int version = Short.toUnsignedInt(buffer.getShort(MAGIC_BYTES));
        if (version < OLDEST_VERSION || version > WRITTEN_VERSION) {
            throw new CorruptException(
                    path
                            + ": unknown format version "
                            + version
                            + " of "
                            + type
                            + ", expected "
                            + OLDEST_VERSION
                            + " to "
                            + WRITTEN_VERSION);
        }
        return Arrays.copyOfRange(object, PREFIX_BYTES, end);
    }

    private static int checksum(byte[] bytes, int length) {
        CRC32C crc = new CRC32C();
        crc.update(bytes, 0, length);
        return (int) crc.getValue();
    }

    private static String printable(byte[] object) {
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < MAGIC_BYTES; i++) {
            int c = object[i] & 0xff;
            text.append(c >= 0x20 && c < 0x7f ? "" + (char) c : String.format("\\x%02x", c));
        }
        return text.toString();
    }
}
