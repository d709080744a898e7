package io.loam.tantivy;

import javax.annotation.Nullable;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * Numbers of a Tantivy column in which every document has one:
 *
 * <pre>
 * column  u8 0  values  u32 1
 * values  u8 0  stats  bits of all, each as wide as (largest - smallest) / divisor needs
 *         u8 2  stats  bits  (line, u8 width) for every 512  u32 length of these
 * stats   vint smallest | vint divisor | vint (largest - smallest) / divisor | vint how many
 * line    vint slope | vint intercept
 * </pre>
 *
 * A number is smallest + divisor * (bits + line), the line being 0 in the first form.
 */
final class PackedOrdinals {
    private static final int FULL = 0;
    private static final int PACKED = 0;
    private static final int LINES = 2;
    private static final int BLOCK = 512;
    private static final int WIDEST = 56;

    /** A run of numbers along a line; of the first form there is one without slope. */
    private record Run(long slope, long intercept, int width, int start) {
        long line(int index) {
            return intercept + (int) (index * slope >>> Integer.SIZE);
        }
    }

    private final ByteBuffer bytes;
    private long smallest;
    private long divisor;
    private long range;
    private int count;
    private int runLength;
    private Run[] runs;

    private PackedOrdinals(ByteBuffer values) {
        this.bytes = values;
    }

    /**
     * @return null if it is none, or packed in another way
     */
    @Nullable
    static PackedOrdinals parse(ByteBuffer column) {
        ByteBuffer whole = column.duplicate().order(ByteOrder.LITTLE_ENDIAN);
        int end = whole.limit() - Integer.BYTES;
        if (whole.get(0) != FULL || whole.getInt(end) != 1) {
            return null;
        }
        PackedOrdinals ordinals =
                new PackedOrdinals(whole.slice(1, end - 1).order(ByteOrder.LITTLE_ENDIAN));
        int form = ordinals.bytes.get();
        if (form != PACKED && form != LINES) {
            return null;
        }
        ordinals.stats();
        if (form == PACKED) {
            ordinals.one();
        } else {
            ordinals.lines();
        }
        return ordinals;
    }

    private void stats() {
        smallest = vint();
        divisor = vint();
        range = vint();
        count = Math.toIntExact(vint());
    }

    private void one() {
        int width = Long.SIZE - Long.numberOfLeadingZeros(range);
        runLength = Integer.MAX_VALUE;
        runs = new Run[] {new Run(0, 0, width > WIDEST ? Long.SIZE : width, bytes.position())};
    }

    private void lines() {
        int start = bytes.position();
        int end = bytes.limit() - Integer.BYTES;
        bytes.position(end - bytes.getInt(end));
        runLength = BLOCK;
        runs = new Run[(count + BLOCK - 1) / BLOCK];
        for (int i = 0; i < runs.length; i++) {
            runs[i] = new Run(vint(), vint(), bytes.get(), start);
            start += runs[i].width() * (BLOCK / Byte.SIZE);
        }
    }

    /** The last byte has the highest bit set. */
    private long vint() {
        long value = 0;
        for (int shift = 0; ; shift += 7) {
            int next = bytes.get();
            value |= (long) (next & 0x7f) << shift;
            if (next < 0) {
                return value;
            }
        }
    }

    int count() {
        return count;
    }

    /**
     * The number of a document.
     *
     * @throws IndexOutOfBoundsException if there are not so many
     */
    long at(int document) {
        if (document < 0 || document >= count) {
            throw new IndexOutOfBoundsException(document + " of " + count);
        }
        Run run = runs[document / runLength];
        int index = document % runLength;
        return smallest + divisor * (run.line(index) + bits(run, index));
    }

    private long bits(Run run, int index) {
        long at = (long) index * run.width();
        int from = run.start() + (int) (at / Byte.SIZE);
        int until = Math.min(from + Long.BYTES, bytes.limit());
        long word = 0;
        for (int i = until - 1; i >= from; i--) {
            word = word << Byte.SIZE | bytes.get(i) & 0xff;
        }
        word >>>= at % Byte.SIZE;
        return run.width() == Long.SIZE ? word : word & (1L << run.width()) - 1;
    }
}
