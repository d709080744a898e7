package io.loam.codec.lance;

import java.util.OptionalLong;

/**
 * Ascending row ids of rows one after the other, in a form in which an id is found: scattered ids
 * as bits, so that they take about as much memory as they take bytes in the manifest. Ids are
 * unsigned. Immutable.
 */
abstract class RowIdSegment {
    /** The first id. */
    final long first;

    /** The last id. */
    final long last;

    /** Row of the first id. */
    final long offset;

    private RowIdSegment(long first, long last, long offset) {
        this.first = first;
        this.last = last;
        this.offset = offset;
    }

    /** Consecutive ids, at least one. */
    static RowIdSegment range(long first, long length, long offset) {
        return new Range(first, first + length - 1, offset);
    }

    /**
     * The ids whose bits are set, the lowest bit first.
     *
     * @param first id of the lowest bit, which is set
     * @param last id of the highest bit that is set
     */
    static RowIdSegment bits(long first, long last, long[] words, long offset) {
        return new Bits(first, last, words, offset);
    }

    final boolean spans(long id) {
        return Long.compareUnsigned(id, first) >= 0 && Long.compareUnsigned(id, last) <= 0;
    }

    /** How many ids. */
    abstract long count();

    /** The row of an id, -1 if it has none. */
    abstract long row(long id);

    /** The first id that is at least this one, which the segment spans. */
    abstract long next(long id);

    /** The first id from this one on that is not there; the segment spans this one. */
    abstract long gap(long id);

    /** An id that both have. */
    final OptionalLong common(RowIdSegment other) {
        long id = Long.compareUnsigned(first, other.first) >= 0 ? first : other.first;
        while (spans(id) && other.spans(id)) {
            long ours = next(id);
            if (other.row(ours) >= 0) {
                return OptionalLong.of(ours);
            }
            if (!other.spans(ours)) {
                return OptionalLong.empty();
            }
            id = other.next(ours);
        }
        return OptionalLong.empty();
    }

    private static final class Range extends RowIdSegment {
        Range(long first, long last, long offset) {
            super(first, last, offset);
        }

        @Override
        long count() {
            return last - first + 1;
        }

        @Override
        long row(long id) {
            return spans(id) ? offset + id - first : -1;
        }

        @Override
        long next(long id) {
            return id;
        }

        @Override
        long gap(long id) {
            return last + 1;
        }
    }

    private static final class Bits extends RowIdSegment {
        /** So many words are counted at once. */
        private static final int BLOCK = 8;

        private final long[] words;

        /** Set bits before each block. */
        private final int[] before;

        private final int count;

        Bits(long first, long last, long[] words, long offset) {
            super(first, last, offset);
            this.words = words;
            this.before = new int[words.length / BLOCK + 1];
            int sum = 0;
            for (int i = 0; i < words.length; i++) {
                if (i % BLOCK == 0) {
                    before[i / BLOCK] = sum;
                }
                sum += Long.bitCount(words[i]);
            }
            this.count = sum;
        }

        @Override
        long count() {
            return count;
        }

        @Override
        long row(long id) {
            if (!spans(id)) {
                return -1;
            }
            long at = id - first;
            int word = (int) (at >>> 6);
            if ((words[word] >>> (at & 63) & 1) == 0) {
                return -1;
            }
            int rank = before[word / BLOCK];
            for (int i = word - word % BLOCK; i < word; i++) {
                rank += Long.bitCount(words[i]);
            }
            return offset + rank + Long.bitCount(words[word] & ((1L << (at & 63)) - 1));
        }

        @Override
        long next(long id) {
            return scan(id, 0);
        }

        @Override
        long gap(long id) {
            return scan(id, -1);
        }

        /** The first id from this one on whose bit is set in the words xor the mask. */
        private long scan(long id, long mask) {
            long at = id - first;
            int word = (int) (at >>> 6);
            long rest = (words[word] ^ mask) & -1L << (at & 63);
            while (rest == 0) {
                if (++word == words.length) {
                    return last + 1;
                }
                rest = words[word] ^ mask;
            }
            return first + ((long) word << 6) + Long.numberOfTrailingZeros(rest);
        }
    }
}
