package io.loam.codec.hot;

import org.roaringbitmap.RoaringBitmap;

import java.util.Map;
import java.util.TreeMap;
import java.util.function.LongConsumer;

/** Row ids, unsigned, as one bitmap for each high half. Not thread-safe while it is changed. */
public final class RowIdSet {
    private static final int HALF_BITS = 32;
    private static final long HALF = 1L << HALF_BITS;

    private final TreeMap<Integer, RoaringBitmap> halves = new TreeMap<>(Integer::compareUnsigned);

    /** Bitmaps of the low halves by high half, ascending and none empty; not to be changed. */
    Map<Integer, RoaringBitmap> halves() {
        return halves;
    }

    /** Takes a bitmap of low halves over. */
    void put(int high, RoaringBitmap lows) {
        halves.put(high, lows);
    }

    public RowIdSet add(long id) {
        of(id).add((int) id);
        return this;
    }

    /** Adds so many ids. */
    public RowIdSet addRange(long start, long count) {
        long from = start;
        long left = count;
        while (left > 0) {
            long low = from & (HALF - 1);
            long most = Math.min(left, HALF - low);
            of(from).add(low, low + most);
            from += most;
            left -= most;
        }
        return this;
    }

    public RowIdSet remove(long id) {
        int high = (int) (id >>> HALF_BITS);
        RoaringBitmap lows = halves.get(high);
        if (lows != null) {
            lows.remove((int) id);
            if (lows.isEmpty()) {
                halves.remove(high);
            }
        }
        return this;
    }

    private RoaringBitmap of(long id) {
        return halves.computeIfAbsent((int) (id >>> HALF_BITS), high -> new RoaringBitmap());
    }

    public boolean contains(long id) {
        RoaringBitmap lows = halves.get((int) (id >>> HALF_BITS));
        return lows != null && lows.contains((int) id);
    }

    public long count() {
        return halves.values().stream().mapToLong(RoaringBitmap::getLongCardinality).sum();
    }

    /** How many ids are here and there. */
    public long countCommon(RowIdSet other) {
        long common = 0;
        for (Map.Entry<Integer, RoaringBitmap> half : halves.entrySet()) {
            RoaringBitmap there = other.halves.get(half.getKey());
            if (there != null) {
                common += RoaringBitmap.andCardinality(half.getValue(), there);
            }
        }
        return common;
    }

    /** The ids from one on. */
    public RowIdSet from(long start) {
        RowIdSet tail = new RowIdSet();
        int high = (int) (start >>> HALF_BITS);
        halves.tailMap(high, true)
                .forEach(
                        (half, lows) -> {
                            RoaringBitmap kept = lows.clone();
                            if (half == high) {
                                kept.remove(0L, start & (HALF - 1));
                            }
                            if (!kept.isEmpty()) {
                                tail.put(half, kept);
                            }
                        });
        return tail;
    }

    /** Hands out all ids, ascending. */
    public void forEach(LongConsumer consumer) {
        halves.forEach(
                (high, lows) ->
                        lows.forEach(
                                (int low) ->
                                        consumer.accept(
                                                (long) high << HALF_BITS
                                                        | Integer.toUnsignedLong(low))));
    }

    /** All ids, ascending; there must be fewer than 2^31. */
    public long[] toArray() {
        long[] ids = new long[Math.toIntExact(count())];
        int[] next = {0};
        forEach(id -> ids[next[0]++] = id);
        return ids;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof RowIdSet set && halves.equals(set.halves);
    }

    @Override
    public int hashCode() {
        return halves.hashCode();
    }

    @Override
    public String toString() {
        return count() + " row ids in " + halves.size() + " bitmaps";
    }
}
