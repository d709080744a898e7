package io.loam.bench.job;

import io.loam.flink.connector.Changes;
import io.loam.flink.operators.CollectionElement;

import org.apache.flink.api.common.functions.MapFunction;

import java.util.concurrent.atomic.AtomicLong;

/**
 * The input of a collection that grows. Number by number:
 *
 * <pre>
 * insert the first keys
 * replace them, scattered
 * in turn: insert four, replace one, scattered
 * replace, scattered
 * </pre>
 *
 * Replacements walk over all keys in strides, so that those of one checkpoint are all different and
 * lie in all files alike.
 */
final class Growth implements MapFunction<Long, CollectionElement> {
    private static final long serialVersionUID = 1L;

    /** A prime above every number of keys; not a divisor of one. */
    private static final long STRIDE = 2_038_074_743L;

    private static final int MIX = 5;

    /** How many numbers were asked for in this process. */
    static final AtomicLong EMITTED = new AtomicLong();

    private final long seed;
    private final long small;
    private final long large;
    private final long window;
    private transient Documents documents;

    /**
     * @param small keys to begin with
     * @param large keys in the end
     * @param window replacements at either size
     */
    Growth(long seed, long small, long large, long window) {
        this.seed = seed;
        this.small = small;
        this.large = large;
        this.window = window;
    }

    long smallFilled() {
        return small;
    }

    long smallDone() {
        return small + window;
    }

    long largeFilled() {
        return smallDone() + (large - small) * MIX / (MIX - 1);
    }

    long largeDone() {
        return largeFilled() + window;
    }

    @Override
    public CollectionElement map(Long number) {
        if (documents == null) {
            documents = new Documents(seed, Documents.Shape.SHORT);
        }
        EMITTED.set(number + 1);
        return Changes.of(documents.upsert(key(number), number));
    }

    private long key(long number) {
        if (number < smallFilled()) {
            return number;
        }
        if (number < smallDone()) {
            return scattered(number, small);
        }
        if (number < largeFilled()) {
            long step = number - smallDone();
            long inserted = small + step / MIX * (MIX - 1) + step % MIX;
            return step % MIX == MIX - 1
                    ? scattered(number, small + step / MIX * (MIX - 1))
                    : inserted;
        }
        return scattered(number, large);
    }

    private static long scattered(long number, long keys) {
        return number % keys * (STRIDE % keys) % keys;
    }
}
