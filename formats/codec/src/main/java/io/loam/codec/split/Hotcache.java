package io.loam.codec.split;

import io.loam.codec.CorruptException;
import io.loam.codec.postcard.PostcardException;
import io.loam.codec.postcard.PostcardReader;
import io.loam.codec.postcard.PostcardWriter;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The hotcache of a split: ranges of its files that a reader needs first. It is a cache, so any set
 * of ranges is right, none included.
 *
 * <pre>
 * hotcache = u32 LE 2557869106 | u32 LE 1 | u32 LE length of meta | meta | blob*
 * meta     = postcard {map path -> u64 file length, seq {path, u64 offset of its blob}}
 * blob     = slice bytes | postcard {u64 file length, seq {u64 start, u64 stop, u64 address}}
 *            | u64 LE number of slice bytes
 * </pre>
 *
 * Offsets count from the first blob, addresses from the blob's start. Slices ascend without
 * overlap.
 */
public record Hotcache(Map<String, CachedFile> files) {

    /** A file of {@code length} bytes, of which the slices are held. */
    public record CachedFile(long length, List<Slice> slices) {
        public CachedFile {
            slices = List.copyOf(slices);
        }

        /** The bytes {@code start} to {@code end}, exclusive, if one slice holds them all. */
        public Optional<byte[]> read(long start, long end) {
            for (Slice slice : slices) {
                if (slice.start() <= start && end <= slice.end()) {
                    int from = (int) (start - slice.start());
                    return Optional.of(
                            Arrays.copyOfRange(slice.bytes(), from, from + (int) (end - start)));
                }
            }
            return Optional.empty();
        }
    }

    /** Bytes of a file from {@code start} on. */
    public record Slice(long start, byte[] bytes) {
        public long end() {
            return start + bytes.length;
        }

        @Override
        public boolean equals(Object other) {
            return other instanceof Slice
                    && start == ((Slice) other).start
                    && Arrays.equals(bytes, ((Slice) other).bytes);
        }

        @Override
        public int hashCode() {
            return 31 * Long.hashCode(start) + Arrays.hashCode(bytes);
        }
    }

    static final int MAGIC = (int) 2557869106L;
    static final int VERSION = 1;
    private static final int HEADER_BYTES = 3 * Integer.BYTES;

    public Hotcache {
        files = Collections.unmodifiableMap(new LinkedHashMap<>(files));
    }

    /**
     * Parses and checks a hotcache.
     *
     * @param path names the object in errors
     * @throws CorruptException if the bytes are not one
     */
    public static Hotcache parse(String path, byte[] bytes) {
        try {
            return new Parser(path, bytes).parse();
        } catch (PostcardException e) {
            throw new CorruptException(path + ": hotcache: " + e.getMessage(), e);
        }
    }

    private static final class Parser {
        private final String path;
        private final byte[] bytes;
        private final ByteBuffer buffer;

        Parser(String path, byte[] bytes) {
            this.path = path;
            this.bytes = bytes;
            this.buffer = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
        }

        Hotcache parse() {
            if (bytes.length < HEADER_BYTES) {
                throw corrupt(bytes.length + " bytes have no header");
            }
            int magic = buffer.getInt();
            if (magic != MAGIC) {
                throw corrupt(
                        "starts with "
                                + Integer.toUnsignedString(magic)
                                + ", expected "
                                + Integer.toUnsignedString(MAGIC));
            }
            int version = buffer.getInt();
            if (version != VERSION) {
                throw corrupt(
                        "version "
                                + Integer.toUnsignedString(version)
                                + ", this reader knows "
                                + VERSION);
            }
            long metaLength = Integer.toUnsignedLong(buffer.getInt());
            if (metaLength > bytes.length - HEADER_BYTES) {
                throw corrupt("meta of " + metaLength + " bytes is longer than the hotcache");
            }
            int blobs = HEADER_BYTES + (int) metaLength;
            PostcardReader meta = new PostcardReader(bytes, HEADER_BYTES, blobs);
            Map<String, Long> lengths = lengths(meta);
            Map<String, Long> offsets = offsets(meta);
            meta.expectEnd();
            return new Hotcache(files(lengths, offsets, blobs));
        }

        private Map<String, Long> lengths(PostcardReader meta) {
            Map<String, Long> lengths = new LinkedHashMap<>();
            int count = meta.count(2);
            for (int i = 0; i < count; i++) {
                String file = meta.string();
                if (lengths.put(file, meta.u64()) != null) {
                    throw corrupt("file " + file + " is listed twice");
                }
            }
            return lengths;
        }

        private Map<String, Long> offsets(PostcardReader meta) {
            Map<String, Long> offsets = new LinkedHashMap<>();
            int count = meta.count(2);
            for (int i = 0; i < count; i++) {
                String file = meta.string();
                if (offsets.put(file, meta.u64()) != null) {
                    throw corrupt("file " + file + " has two blobs");
                }
            }
            return offsets;
        }

        private Map<String, CachedFile> files(
                Map<String, Long> lengths, Map<String, Long> offsets, int blobs) {
            Map<String, CachedFile> files = new LinkedHashMap<>();
            List<Map.Entry<String, Long>> order = new ArrayList<>(offsets.entrySet());
            int from = blobs;
            for (int i = 0; i < order.size(); i++) {
                String file = order.get(i).getKey();
                long available = bytes.length - blobs;
                long start = order.get(i).getValue();
                long end = i + 1 < order.size() ? order.get(i + 1).getValue() : available;
                if (start != from - blobs || end < start || end > available) {
                    throw corrupt("the blob of " + file + " is not where the meta says");
                }
                Long length = lengths.get(file);
                if (length == null) {
                    throw corrupt("file " + file + " has a blob, but no length");
                }
                from = blobs + (int) end;
                files.put(file, blob(file, length, blobs + (int) start, from));
            }
            return files;
        }

        private CachedFile blob(String file, long length, int from, int to) {
            if (to - from < Long.BYTES) {
                throw corrupt("the blob of " + file + " is too short");
            }
            long sliceBytes = buffer.getLong(to - Long.BYTES);
            if (sliceBytes < 0 || sliceBytes > to - Long.BYTES - from) {
                throw corrupt(
                        "the blob of "
                                + file
                                + " is too short for "
                                + Long.toUnsignedString(sliceBytes)
                                + " bytes of slices");
            }
            int meta = from + (int) sliceBytes;
            PostcardReader reader = new PostcardReader(bytes, meta, to - Long.BYTES);
            long total = reader.u64();
            if (total != length) {
                throw corrupt(
                        "file "
                                + file
                                + " has "
                                + Long.toUnsignedString(total)
                                + " bytes in its blob, "
                                + Long.toUnsignedString(length)
                                + " in the meta");
            }
            int count = reader.count(3);
            List<Slice> slices = new ArrayList<>(count);
            long previous = 0;
            long unread = sliceBytes;
            for (int i = 0; i < count; i++) {
                long start = reader.u64();
                long stop = reader.u64();
                long address = reader.u64();
                if (start < previous || stop < start || stop > length) {
                    throw corrupt("slices of " + file + " overlap or leave the file");
                }
                if (address < 0
                        || stop - start > sliceBytes
                        || address > sliceBytes - (stop - start)) {
                    throw corrupt("a slice of " + file + " lies outside its blob");
                }
                unread -= stop - start;
                if (unread < 0) {
                    throw corrupt("slices of " + file + " share bytes of its blob");
                }
                int at = from + (int) address;
                slices.add(
                        new Slice(start, Arrays.copyOfRange(bytes, at, at + (int) (stop - start))));
                previous = stop;
            }
            reader.expectEnd();
            return new CachedFile(length, slices);
        }

        private CorruptException corrupt(String message) {
            return new CorruptException(path + ": hotcache: " + message);
        }
    }

    /** This hotcache's bytes; {@link #parse} reads them back. */
    public byte[] encode() {
        PostcardWriter blobs = new PostcardWriter();
        PostcardWriter offsets = new PostcardWriter().size(files.size());
        PostcardWriter lengths = new PostcardWriter().size(files.size());
        files.forEach(
                (file, cached) -> {
                    lengths.string(file).u64(cached.length());
                    offsets.string(file).u64(blobs.length());
                    blobs.raw(blob(cached));
                });
        byte[] meta = lengths.raw(offsets.toByteArray()).toByteArray();
        return ByteBuffer.allocate(HEADER_BYTES + meta.length + blobs.length())
                .order(ByteOrder.LITTLE_ENDIAN)
                .putInt(MAGIC)
                .putInt(VERSION)
                .putInt(meta.length)
                .put(meta)
                .put(blobs.toByteArray())
                .array();
    }

    private static byte[] blob(CachedFile file) {
        PostcardWriter bytes = new PostcardWriter();
        PostcardWriter meta = new PostcardWriter().u64(file.length()).size(file.slices().size());
        for (Slice slice : file.slices()) {
            meta.u64(slice.start()).u64(slice.end()).u64(bytes.length());
            bytes.raw(slice.bytes());
        }
        byte[] count =
                ByteBuffer.allocate(Long.BYTES)
                        .order(ByteOrder.LITTLE_ENDIAN)
                        .putLong(bytes.length())
                        .array();
        return bytes.raw(meta.toByteArray()).raw(count).toByteArray();
    }
}
