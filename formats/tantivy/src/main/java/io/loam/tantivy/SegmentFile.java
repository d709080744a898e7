package io.loam.tantivy;

import io.loam.codec.CorruptException;
import io.loam.codec.json.Json;
import io.loam.codec.json.JsonSyntaxException;
import io.loam.codec.json.JsonValue;
import io.loam.codec.json.JsonValue.JsonInteger;
import io.loam.codec.json.JsonValue.JsonObject;

import javax.annotation.Nullable;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
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
     * Checks a whole file.
     *
     * @param name names the file in errors
     * @throws CorruptException if the file has no frame or its checksum is wrong
     */
    static void check(String name, Path file) throws IOException {
        try (FileChannel channel = FileChannel.open(file)) {
            pass(name, channel, 0, channel.size(), null);
        }
    }

    /**
     * Copies a file out of a larger one and checks it on the way, so that its bytes are read once.
     *
     * @param name names the file in errors
     * @param to does not exist yet; on an error some of it is there
     * @throws CorruptException as {@link #check}
     */
    static void copy(String name, FileChannel from, long start, long end, Path to)
            throws IOException {
        try (FileChannel out =
                FileChannel.open(to, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE)) {
            pass(name, from, start, end, out);
        }
    }

    private static void pass(
            String name, FileChannel from, long start, long end, @Nullable FileChannel to)
            throws IOException {
        long bodyEnd = bodyEnd(name, from, start, end);
        long expected = expectedCrc(name, read(from, bodyEnd, footerBytes(bodyEnd, end)).array());
        CRC32 crc = new CRC32();
        // In the heap: memory outside of it is scarce in a task manager, and freed late.
        ByteBuffer chunk = ByteBuffer.allocate((int) Math.min(CHUNK_BYTES, end - start));
        for (long at = start; at < end; at += chunk.limit()) {
            fill(from, at, chunk.clear().limit((int) Math.min(CHUNK_BYTES, end - at)));
            crc.update(chunk.slice(0, (int) Math.max(0, Math.min(chunk.limit(), bodyEnd - at))));
            while (to != null && chunk.hasRemaining()) {
                to.write(chunk);
            }
        }
        if (crc.getValue() != expected) {
            throw new CorruptException(
                    String.format(
                            "%s: the crc32 is %08x, expected %08x",
                            name, crc.getValue(), expected));
        }
    }

    private static int footerBytes(long bodyEnd, long end) {
        return (int) (end - TAIL_BYTES - bodyEnd);
    }

    /**
     * Where the body of a file ends.
     *
     * @throws CorruptException if it has no frame
     */
    static long bodyEnd(String name, FileChannel file) throws IOException {
        return bodyEnd(name, file, 0, file.size());
    }

    private static long bodyEnd(String name, FileChannel file, long start, long end)
            throws IOException {
        long size = end - start;
        if (size < TAIL_BYTES) {
            throw new CorruptException(name + ": " + size + " bytes have no footer");
        }
        ByteBuffer tail = read(file, end - TAIL_BYTES, TAIL_BYTES);
        long length = Integer.toUnsignedLong(tail.getInt());
        int magic = tail.getInt();
        if (magic != MAGIC || length > MAX_FOOTER_BYTES || length > size - TAIL_BYTES) {
            throw new CorruptException(name + ": the file does not end with Tantivy's footer");
        }
        return end - TAIL_BYTES - length;
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

    /** Bytes of a file, little-endian. */
    static ByteBuffer read(FileChannel channel, long from, int length) throws IOException {
        ByteBuffer bytes = ByteBuffer.allocate(length).order(ByteOrder.LITTLE_ENDIAN);
        return fill(channel, from, bytes);
    }

    private static ByteBuffer fill(FileChannel channel, long from, ByteBuffer bytes)
            throws IOException {
        while (bytes.hasRemaining()) {
            if (channel.read(bytes, from + bytes.position()) < 0) {
                throw new IOException("a local file became shorter while it was read");
            }
        }
        return bytes.flip();
    }
}
