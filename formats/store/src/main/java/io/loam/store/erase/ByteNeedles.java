package io.loam.store.erase;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.stream.IntStream;

/**
 * Looks for many byte sequences at once. Every sequence is found by its first eight bytes; shorter
 * ones, and those of fewer than four different bytes, occur by chance and are not looked for.
 */
final class ByteNeedles {
    /** Fewest bytes of a sequence. */
    static final int SHORTEST = 8;

    private static final int FEWEST_VALUES = 4;
    private static final int FILTER_BITS = 20;
    private static final long MIX = 0x9E3779B97F4A7C15L;

    private final Map<Long, List<byte[]>> byStart = new HashMap<>();
    private final BitSet filter = new BitSet(1 << FILTER_BITS);
    private int longest = SHORTEST;
    private int count;

    /** Those that occur by chance are left out. */
    ByteNeedles(Collection<byte[]> sequences) {
        for (byte[] sequence : sequences) {
            if (isTelling(sequence)) {
                add(sequence);
            }
        }
    }

    /** Whether a sequence is long and varied enough to be no accident. */
    static boolean isTelling(byte[] sequence) {
        return sequence.length >= SHORTEST
                && IntStream.range(0, sequence.length)
                                .map(i -> sequence[i])
                                .distinct()
                                .limit(FEWEST_VALUES)
                                .count()
                        == FEWEST_VALUES;
    }

    private void add(byte[] sequence) {
        long start = 0;
        for (int i = 0; i < SHORTEST; i++) {
            start = start << Byte.SIZE | sequence[i] & 0xff;
        }
        List<byte[]> same = byStart.computeIfAbsent(start, any -> new ArrayList<>());
        if (same.stream().noneMatch(other -> Arrays.equals(other, sequence))) {
            same.add(sequence);
            filter.set(slot(start));
            longest = Math.max(longest, sequence.length);
            count++;
        }
    }

    private static int slot(long start) {
        return (int) (start * MIX >>> Long.SIZE - FILTER_BITS);
    }

    int count() {
        return count;
    }

    /** Bytes of the longest. */
    int longest() {
        return longest;
    }

    /** Every sequence that is in the bytes, once for each place. */
    void find(byte[] bytes, Consumer<byte[]> found) {
        if (count == 0 || bytes.length < SHORTEST) {
            return;
        }
        long window = 0;
        for (int end = 0; end < bytes.length; end++) {
            window = window << Byte.SIZE | bytes[end] & 0xff;
            int start = end - SHORTEST + 1;
            if (start < 0 || !filter.get(slot(window))) {
                continue;
            }
            List<byte[]> candidates = byStart.get(window);
            if (candidates != null) {
                for (byte[] candidate : candidates) {
                    if (isAt(bytes, start, candidate)) {
                        found.accept(candidate);
                    }
                }
            }
        }
    }

    private static boolean isAt(byte[] bytes, int start, byte[] sequence) {
        int end = start + sequence.length;
        return end <= bytes.length
                && Arrays.equals(bytes, start, end, sequence, 0, sequence.length);
    }

    /** The sequences. */
    List<byte[]> all() {
        return byStart.values().stream().flatMap(List::stream).toList();
    }
}
