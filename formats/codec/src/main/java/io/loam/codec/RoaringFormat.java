package io.loam.codec;

import org.roaringbitmap.RoaringBitmap;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * The portable form of a 32-bit Roaring bitmap, all numbers little-endian:
 *
 * <pre>
 * cookie       u32: 12346, then u32 containers;
 *              or 12347 | containers - 1 &lt;&lt; 16, then one bit per container: is it runs?
 * headers      per container: u16 key ascending, u16 cardinality - 1
 * offsets      per container: u32 position; left out with runs and fewer than 4 containers
 * containers   runs: u16 count, (u16 start, u16 length - 1) ascending;
 *              array, up to 4096 values: u16 ascending; else 8192 bytes of bits
 * </pre>
 *
 * <p>A reader must not trust lengths and orders inside: the library's own reader allocates what
 * they say and searches wrongly in unsorted containers. So everything is checked first.
 */
public final class RoaringFormat {
    private static final int COOKIE_WITHOUT_RUNS = 12346;
    private static final int COOKIE_WITH_RUNS = 12347;
    private static final int MAX_CONTAINERS = 1 << 16;
    private static final int OFFSETS_FROM_CONTAINERS = 4;
    private static final int MAX_ARRAY_VALUES = 4096;
    private static final int BITS_BYTES = 8192;

    private final ByteBuffer in;
    private final int start;
    private final String path;

    private RoaringFormat(byte[] bytes, int from, String path) {
        this.in = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN).position(from);
        this.start = from;
        this.path = path;
    }

    /**
     * Reads the bitmap that fills {@code bytes} from {@code from} to their end.
     *
     * @throws CorruptException if the bytes are not exactly one well-formed bitmap
     */
    public static RoaringBitmap decode(byte[] bytes, int from, String path) {
        RoaringFormat format = new RoaringFormat(bytes, from, path);
        format.check();
        if (format.in.hasRemaining()) {
            throw format.corrupt("bytes after the bitmap", "" + format.in.remaining(), "none");
        }
        return format.read();
    }

    /**
     * Reads the bitmap at the buffer's position, which then is behind it.
     *
     * @param buffer of a whole array
     * @throws CorruptException if there is no well-formed bitmap
     */
    public static RoaringBitmap decodeNext(ByteBuffer buffer, String path) {
        RoaringFormat format = new RoaringFormat(buffer.array(), buffer.position(), path);
        format.check();
        buffer.position(format.in.position());
        return format.read();
    }

    private RoaringBitmap read() {
        RoaringBitmap bitmap = new RoaringBitmap();
        try {
            bitmap.deserialize(ByteBuffer.wrap(in.array(), start, in.position() - start));
        } catch (IOException e) {
            throw new CorruptException(path + ": unreadable roaring bitmap", e);
        }
        return bitmap;
    }

    /** The portable bytes of a bitmap, its containers as they are. */
    public static byte[] encode(RoaringBitmap bitmap) {
        ByteBuffer bytes = ByteBuffer.allocate(bitmap.serializedSizeInBytes());
        bitmap.serialize(bytes);
        return bytes.array();
    }

    private void check() {
        require(4, "the cookie");
        int cookie = in.getInt();
        boolean runs = (cookie & 0xffff) == COOKIE_WITH_RUNS;
        int containers;
        byte[] runFlags = new byte[0];
        if (runs) {
            containers = (cookie >>> 16) + 1;
            require((containers + 7) / 8, "the run flags");
            runFlags = new byte[(containers + 7) / 8];
            in.get(runFlags);
        } else if (cookie == COOKIE_WITHOUT_RUNS) {
            require(4, "the container count");
            containers = in.getInt();
            if (containers < 0 || containers > MAX_CONTAINERS) {
                throw corrupt("containers", Integer.toUnsignedString(containers), "at most 65536");
            }
        } else {
            throw corrupt("cookie", Integer.toUnsignedString(cookie), "12346 or 12347");
        }
        checkContainers(containers, runFlags, !runs || containers >= OFFSETS_FROM_CONTAINERS);
    }

    private void checkContainers(int containers, byte[] runFlags, boolean hasOffsets) {
        require(4 * containers, "the headers");
        int headers = in.position();
        in.position(headers + 4 * containers);
        int offsets = in.position();
        if (hasOffsets) {
            require(4 * containers, "the offsets");
            in.position(offsets + 4 * containers);
        }
        int previousKey = -1;
        for (int i = 0; i < containers; i++) {
            int key = Short.toUnsignedInt(in.getShort(headers + 4 * i));
            int cardinality = Short.toUnsignedInt(in.getShort(headers + 4 * i + 2)) + 1;
            if (key <= previousKey) {
                throw corrupt("container key", "" + key, "above " + previousKey);
            }
            previousKey = key;
            if (hasOffsets && in.getInt(offsets + 4 * i) != in.position() - start) {
                throw corrupt(
                        "offset of container " + i,
                        Integer.toUnsignedString(in.getInt(offsets + 4 * i)),
                        "" + (in.position() - start));
            }
            if (runFlags.length > 0 && (runFlags[i / 8] >> (i % 8) & 1) == 1) {
                checkRuns(i, cardinality);
            } else if (cardinality <= MAX_ARRAY_VALUES) {
                checkArray(i, cardinality);
            } else {
                checkBits(i, cardinality);
            }
        }
    }

    private void checkRuns(int container, int cardinality) {
        require(2, "a run count");
        int runs = Short.toUnsignedInt(in.getShort());
        require(4 * runs, "the runs");
        int end = -1;
        int sum = 0;
        for (int i = 0; i < runs; i++) {
            int first = Short.toUnsignedInt(in.getShort());
            int last = first + Short.toUnsignedInt(in.getShort());
            if (first <= end || last > 0xffff) {
                throw corrupt(
                        "run in container " + container,
                        first + ".." + last,
                        "above " + end + " and below 65536");
            }
            end = last;
            sum += last - first + 1;
        }
        checkCardinality(container, sum, cardinality);
    }

    private void checkArray(int container, int cardinality) {
        require(2 * cardinality, "an array container");
        int previous = -1;
        for (int i = 0; i < cardinality; i++) {
            int value = Short.toUnsignedInt(in.getShort());
            if (value <= previous) {
                throw corrupt("value in container " + container, "" + value, "above " + previous);
            }
            previous = value;
        }
    }

    private void checkBits(int container, int cardinality) {
        require(BITS_BYTES, "a bit container");
        int sum = 0;
        for (int i = 0; i < BITS_BYTES / Long.BYTES; i++) {
            sum += Long.bitCount(in.getLong());
        }
        checkCardinality(container, sum, cardinality);
    }

    private void checkCardinality(int container, int found, int stated) {
        if (found != stated) {
            throw corrupt("values of container " + container, "" + found, "" + stated);
        }
    }

    private void require(int bytes, String what) {
        if (in.remaining() < bytes) {
            throw corrupt("bytes for " + what, "" + in.remaining(), "at least " + bytes);
        }
    }

    private CorruptException corrupt(String what, String found, String expected) {
        return new CorruptException(
                path + ": roaring bitmap: " + what + ": found " + found + ", expected " + expected);
    }
}
