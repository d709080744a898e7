package io.loam.codec.split;

import io.loam.codec.CorruptException;
import io.loam.codec.Crc32c;
import io.loam.codec.json.Json;
import io.loam.codec.json.JsonSyntaxException;
import io.loam.codec.json.JsonValue;
import io.loam.codec.json.JsonValue.JsonInteger;
import io.loam.codec.json.JsonValue.JsonObject;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The footer of a split object: where each file of the bundle lies, and the hotcache.
 *
 * <pre>
 * object   = files | footer
 * footer   = metadata | u32 LE metadata length | hotcache | u32 LE hotcache length | trailer
 * metadata = u32 LE 403881646 | u32 LE 1 | JSON {"files":{"name":{"start":s,"end":e},...}}
 * trailer  = u64 LE offset of the footer in the object | u32 LE 1 | "QWFT"
 * </pre>
 *
 * A file's end is exclusive; files do not overlap and lie before the footer.
 *
 * @param start offset of the footer in the object
 * @param end size of the object
 * @param files the bundle's files in the order of their bytes
 */
public record SplitFooter(long start, long end, List<BundledFile> files, byte[] hotcache) {

    /** A file of the bundle, from {@code start} to {@code end}, exclusive. */
    public record BundledFile(String name, long start, long end) {
        public long length() {
            return end - start;
        }
    }

    static final int METADATA_MAGIC = 403881646;
    static final int METADATA_VERSION = 1;
    static final int TRAILER_VERSION = 1;
    private static final byte[] TRAILER_MAGIC = "QWFT".getBytes(StandardCharsets.US_ASCII);

    /** Bytes of the trailer. */
    public static final int TRAILER_BYTES = Long.BYTES + Integer.BYTES + "QWFT".length();

    private static final int METADATA_HEADER_BYTES = 2 * Integer.BYTES;

    /** The two lengths and the trailer, which every footer has. */
    public static final int MIN_BYTES = 2 * Integer.BYTES + TRAILER_BYTES;

    public SplitFooter {
        files = List.copyOf(files);
    }

    /**
     * Checks that a range can be a footer of an object, before any byte is read.
     *
     * @throws CorruptException if it cannot
     */
    public static void checkRange(String path, long start, long end, long size) {
        if (end != size) {
            throw new CorruptException(
                    path
                            + ": the footer ends at "
                            + end
                            + ", but the object has "
                            + size
                            + " bytes");
        }
        if (start < 0 || start > end || end - start < MIN_BYTES) {
            throw new CorruptException(
                    path
                            + ": a footer from "
                            + start
                            + " to "
                            + end
                            + " is too short, it has at least "
                            + MIN_BYTES
                            + " bytes");
        }
        if (end - start > Integer.MAX_VALUE - Long.BYTES) {
            throw new CorruptException(
                    path + ": a footer from " + start + " to " + end + " is too long");
        }
    }

    /**
     * Parses and checks the footer of an object.
     *
     * @param path names the object in errors
     * @param start where the footer is said to start in the object
     * @param footer every byte from there to the object's end
     * @throws CorruptException if the bytes are not such a footer
     */
    public static SplitFooter parse(String path, long start, byte[] footer) {
        checkRange(path, start, start + footer.length, start + footer.length);
        ByteBuffer bytes = ByteBuffer.wrap(footer).order(ByteOrder.LITTLE_ENDIAN);
        int trailer = footer.length - TRAILER_BYTES;
        checkTrailer(path, start, bytes.slice(trailer, TRAILER_BYTES));

        int hotcacheEnd = trailer - Integer.BYTES;
        long hotcacheLength = Integer.toUnsignedLong(bytes.getInt(hotcacheEnd));
        long metadataEnd = hotcacheEnd - hotcacheLength - Integer.BYTES;
        if (metadataEnd < 0) {
            throw new CorruptException(
                    path
                            + ": a hotcache of "
                            + hotcacheLength
                            + " bytes is longer than the footer");
        }
        int metadataLength = bytes.getInt((int) metadataEnd);
        if (metadataLength != metadataEnd) {
            throw new CorruptException(
                    path
                            + ": metadata of "
                            + Integer.toUnsignedString(metadataLength)
                            + " and hotcache of "
                            + hotcacheLength
                            + " bytes do not fill a footer of "
                            + footer.length);
        }
        List<BundledFile> files = parseMetadata(path, start, Arrays.copyOf(footer, metadataLength));
        byte[] hotcache = Arrays.copyOfRange(footer, metadataLength + Integer.BYTES, hotcacheEnd);
        return new SplitFooter(start, start + footer.length, files, hotcache);
    }

    private static void checkTrailer(String path, long start, ByteBuffer slice) {
        ByteBuffer trailer = slice.order(ByteOrder.LITTLE_ENDIAN);
        long storedStart = trailer.getLong();
        int version = trailer.getInt();
        byte[] magic = new byte[TRAILER_MAGIC.length];
        trailer.get(magic);
        if (!Arrays.equals(magic, TRAILER_MAGIC)) {
            throw new CorruptException(
                    path + ": the object does not end with a split trailer (QWFT)");
        }
        if (version != TRAILER_VERSION) {
            throw new CorruptException(
                    path
                            + ": trailer version "
                            + Integer.toUnsignedString(version)
                            + ", this reader knows "
                            + TRAILER_VERSION);
        }
        if (storedStart != start) {
            throw new CorruptException(
                    path
                            + ": the trailer says the footer starts at "
                            + Long.toUnsignedString(storedStart)
                            + ", expected "
                            + start);
        }
    }

    private static List<BundledFile> parseMetadata(String path, long footerStart, byte[] metadata) {
        if (metadata.length < METADATA_HEADER_BYTES) {
            throw new CorruptException(
                    path + ": bundle metadata of " + metadata.length + " bytes has no header");
        }
        ByteBuffer header = ByteBuffer.wrap(metadata).order(ByteOrder.LITTLE_ENDIAN);
        int magic = header.getInt();
        if (magic != METADATA_MAGIC) {
            throw new CorruptException(
                    path
                            + ": bundle metadata starts with "
                            + Integer.toUnsignedString(magic)
                            + ", expected "
                            + METADATA_MAGIC);
        }
        int version = header.getInt();
        if (version != METADATA_VERSION) {
            throw new CorruptException(
                    path
                            + ": bundle metadata version "
                            + Integer.toUnsignedString(version)
                            + ", this reader knows "
                            + METADATA_VERSION);
        }
        byte[] json = Arrays.copyOfRange(metadata, METADATA_HEADER_BYTES, metadata.length);
        return files(path, footerStart, json);
    }

    private static List<BundledFile> files(String path, long footerStart, byte[] json) {
        JsonObject root;
        try {
            root = Json.parseObject(json);
        } catch (JsonSyntaxException e) {
            throw new CorruptException(path + ": bundle metadata: " + e.getMessage(), e);
        }
        if (!(root.members().get("files") instanceof JsonObject)) {
            throw new CorruptException(path + ": bundle metadata has no object \"files\"");
        }
        List<BundledFile> files = new ArrayList<>();
        for (Map.Entry<String, JsonValue> entry :
                ((JsonObject) root.members().get("files")).members().entrySet()) {
            files.add(file(path, entry.getKey(), entry.getValue()));
        }
        files.sort(
                Comparator.comparingLong(BundledFile::start)
                        .thenComparingLong(BundledFile::end)
                        .thenComparing(BundledFile::name));
        checkLayout(path, footerStart, files);
        return files;
    }

    private static BundledFile file(String path, String name, JsonValue value) {
        if (!isFileName(name)) {
            throw new CorruptException(path + ": \"" + name + "\" cannot be a bundled file's name");
        }
        if (!(value instanceof JsonObject)) {
            throw new CorruptException(path + ": bundled file " + name + " has no range");
        }
        Map<String, JsonValue> range = ((JsonObject) value).members();
        return new BundledFile(
                name, offset(path, name, range, "start"), offset(path, name, range, "end"));
    }

    private static long offset(
            String path, String name, Map<String, JsonValue> range, String member) {
        JsonValue value = range.get(member);
        if (!(value instanceof JsonInteger)
                || ((JsonInteger) value).unsigned()
                || ((JsonInteger) value).value() < 0) {
            throw new CorruptException(
                    path + ": bundled file " + name + " has no valid \"" + member + "\"");
        }
        return ((JsonInteger) value).value();
    }

    /** Readers make local files of these names, so a name must not lead anywhere else. */
    private static boolean isFileName(String name) {
        return !name.isEmpty()
                && !name.equals(".")
                && !name.equals("..")
                && name.chars().noneMatch(c -> c == '/' || c == '\\' || c < ' ');
    }

    private static void checkLayout(String path, long footerStart, List<BundledFile> files) {
        long previousEnd = 0;
        for (BundledFile file : files) {
            if (file.start() < previousEnd || file.end() < file.start()) {
                throw new CorruptException(
                        path
                                + ": bundled file "
                                + file.name()
                                + " from "
                                + file.start()
                                + " to "
                                + file.end()
                                + " overlaps the one before or is turned around");
            }
            previousEnd = file.end();
        }
        if (previousEnd > footerStart) {
            throw new CorruptException(
                    path
                            + ": bundled files end at "
                            + previousEnd
                            + ", behind the footer's start "
                            + footerStart);
        }
    }

    /**
     * Checks a footer's bytes against the crc32c a manifest holds.
     *
     * @param expected 0 when the writer gave none
     */
    public static void checkCrc(String path, byte[] footer, int expected) {
        int actual = crc32c(footer);
        if (expected != 0 && actual != expected) {
            throw new CorruptException(
                    String.format(
                            "%s: the footer's crc32c is %08x, expected %08x",
                            path, actual, expected));
        }
    }

    /** The crc32c of a footer's bytes, as {@link #checkCrc} takes it. */
    public static int crc32c(byte[] footer) {
        return Crc32c.of(footer);
    }

    /** The trailer that ends an object whose footer starts at {@code footerStart}. */
    public static byte[] trailer(long footerStart) {
        return ByteBuffer.allocate(TRAILER_BYTES)
                .order(ByteOrder.LITTLE_ENDIAN)
                .putLong(footerStart)
                .putInt(TRAILER_VERSION)
                .put(TRAILER_MAGIC)
                .array();
    }

    /** This footer's bytes, trailer included; {@link #parse} reads them back. */
    public byte[] encode() {
        Map<String, JsonValue> ranges = new LinkedHashMap<>();
        for (BundledFile file : files) {
            Map<String, JsonValue> range = new LinkedHashMap<>();
            range.put("start", JsonInteger.of(file.start()));
            range.put("end", JsonInteger.of(file.end()));
            ranges.put(file.name(), new JsonObject(range));
        }
        byte[] json = Json.print(new JsonObject(Map.of("files", new JsonObject(ranges))));
        int metadataLength = METADATA_HEADER_BYTES + json.length;
        return ByteBuffer.allocate(metadataLength + hotcache.length + MIN_BYTES)
                .order(ByteOrder.LITTLE_ENDIAN)
                .putInt(METADATA_MAGIC)
                .putInt(METADATA_VERSION)
                .put(json)
                .putInt(metadataLength)
                .put(hotcache)
                .putInt(hotcache.length)
                .put(trailer(start))
                .array();
    }

    @Override
    public boolean equals(Object other) {
        if (!(other instanceof SplitFooter)) {
            return false;
        }
        SplitFooter that = (SplitFooter) other;
        return start == that.start
                && end == that.end
                && files.equals(that.files)
                && Arrays.equals(hotcache, that.hotcache);
    }

    @Override
    public int hashCode() {
        return 31 * files.hashCode() + Long.hashCode(start);
    }
}
