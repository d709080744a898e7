package io.loam.flink.operators;

import io.loam.codec.key.PrimaryKey;
import io.loam.flink.operators.CollectionElement.CurrentRow;

import javax.annotation.Nullable;

import java.util.HashMap;
import java.util.Map;

/**
 * The index in batch execution. All that belongs to a key comes at once, first the row it has, so
 * that no more is kept than the keys of the batch that fills.
 */
final class SortedIndex implements KeyIndex {
    private final Map<PrimaryKey, Long> rows = new HashMap<>();
    @Nullable private PrimaryKey latest;
    @Nullable private Long latestRow;

    /** Takes note of the row that a key has; its elements follow, if there are any. */
    void begin(CurrentRow current) {
        latest = current.key();
        latestRow = current.rowId();
    }

    /** Takes note that an operation of a key comes next. */
    void arrive(PrimaryKey key) {
        if (!key.equals(latest)) {
            latest = key;
            latestRow = null;
        }
        if (!rows.containsKey(key)) {
            rows.put(key, latestRow);
        }
    }

    @Override
    @Nullable
    public Long row(PrimaryKey key) {
        if (!rows.containsKey(key)) {
            throw new IllegalStateException("the row of key " + key + " was not asked for in time");
        }
        return rows.get(key);
    }

    @Override
    public void put(PrimaryKey key, @Nullable Long row) {
        rows.put(key, row);
    }

    /** More operations can only come for the key that came last. */
    @Override
    public void sealed() {
        rows.keySet().removeIf(key -> !key.equals(latest));
    }

    int size() {
        return rows.size();
    }
}
