package io.loam.tantivy;

import io.loam.codec.CorruptException;
import io.loam.codec.json.Json;
import io.loam.codec.json.JsonSyntaxException;
import io.loam.codec.json.JsonValue;
import io.loam.codec.json.JsonValue.JsonInteger;
import io.loam.codec.json.JsonValue.JsonObject;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.zip.CRC32;

/**
 * The frame Tantivy puts around every file of a segment. Native code trusts what lies inside, so
 * the checksum is checked before it sees the file.
 *
 * <pre>
 * file = body | JSON {"version":{...,"index_format_version":7},"crc":crc32 of body}
 *        | u32 LE length of the JSON | u32 LE 1337
 * </pre>
 */
final class SegmentFile {
    private static final int MAGIC = 1337;
    private static final int FORMAT_VERSION = 7;
    private static final List<String> VERSION_PARTS =
            List.of("major", "minor", "patch", "index_format_version");
    private static final int TAIL_BYTES = 2 * Integer.BYTES;
    private static final int MAX_FOOTER_BYTES = 50_000;
    private static final int CHUNK_BYTES = 1 << 18;

    private SegmentFile() {}

    /** Frames a body. */
    static byte[] frame(byte[] body) {
        CRC32 crc = new CRC32();
        crc.update(body);
        String json =
                "{\"version\":{\"major\":0,\"minor\":23,\"patch\":0,\"index_format_version\":"
                        + FORMAT_VERSION
                        + "},\"crc\":"
                        + crc.getValue()
                        + "}";
        byte[] footer = json.getBytes(StandardCharsets.UTF_8);
        return ByteBuffer.allocate(body.length + footer.length + TAIL_BYTES)
                .order(ByteOrder.LITTLE_ENDIAN)
                .put(body)
                .put(footer)
                .putInt(footer.length)
                .putInt(MAGIC)
                .array();
    }

    /**
     * @param name names the file in errors
     * @throws CorruptException if the file has no frame or its checksum is wrong
     */
    static void check(String name, Path file) throws IOException {
        try (FileChannel channel = FileChannel.open(file)) {
            long size = channel.size();
            if (size < TAIL_BYTES) {
                throw new CorruptException(name + ": " + size + " bytes have no footer");
            }
            ByteBuffer tail = read(channel, size - TAIL_BYTES, TAIL_BYTES);
            long length = Integer.toUnsignedLong(tail.getInt());
            int magic = tail.getInt();
            if (magic != MAGIC || length > MAX_FOOTER_BYTES || length > size - TAIL_BYTES) {
                throw new CorruptException(name + ": the file does not end with Tantivy's footer");
            }
            long bodyEnd = size - TAIL_BYTES - length;
            long expected = expectedCrc(name, read(channel, bodyEnd, (int) length).array());
            long actual = crc(channel, bodyEnd);
            if (actual != expected) {
                throw new CorruptException(
                        String.format(
                                "%s: the crc32 is %08x, expected %08x", name, actual, expected));
            }
        }
    }

    private static long expectedCrc(String name, byte[] footer) {
        JsonObject json;
        try {
            json = Json.parseObject(footer);
        } catch (JsonSyntaxException e) {
            throw new CorruptException(name + ": footer: " + e.getMessage(), e);
        }
        if (!(json.members().get("version") instanceof JsonObject version)
                || !VERSION_PARTS.stream()
                        .allMatch(part -> version.members().get(part) instanceof JsonInteger)) {
            throw new CorruptException(name + ": the footer has no version");
        }
        JsonValue format = version.members().get("index_format_version");
        if (!JsonInteger.of(FORMAT_VERSION).equals(format)) {
            throw new CorruptException(
                    name
                            + ": index format version "
                            + Json.text(format)
                            + ", this reader knows "
                            + FORMAT_VERSION);
        }
        if (!(json.members().get("crc") instanceof JsonInteger crc)) {
            throw new CorruptException(name + ": the footer has no crc");
        }
        return crc.value();
    }

    private static long crc(FileChannel channel, long end) throws IOException {
        CRC32 crc = new CRC32();
        for (long from = 0; from < end; from += CHUNK_BYTES) {
            crc.update(read(channel, from, (int) Math.min(CHUNK_BYTES, end - from)));
        }
        return crc.getValue();
    }

    private static ByteBuffer read(FileChannel channel, long from, int length) throws IOException {
        ByteBuffer bytes = ByteBuffer.allocate(length).order(ByteOrder.LITTLE_ENDIAN);
        while (bytes.hasRemaining()) {
            if (channel.read(bytes, from + bytes.position()) < 0) {
                throw new IOException("a local file became shorter while it was read");
            }
        }
        return bytes.flip();
    }
}
