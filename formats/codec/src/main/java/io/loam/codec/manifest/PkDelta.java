package io.loam.codec.manifest;

import io.loam.codec.key.PrimaryKey;

import javax.annotation.Nullable;

import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * The keys whose row one commit changed, in ascending order of their canonical bytes, each once.
 */
public record PkDelta(List<Entry> entries) {
    /**
     * A key and its row after the commit.
     *
     * @param rowId unsigned; absent when the key has no row any more
     */
    public record Entry(PrimaryKey key, @Nullable Long rowId) {}

    public PkDelta {
        entries = List.copyOf(entries);
        for (int i = 1; i < entries.size(); i++) {
            if (entries.get(i - 1).key().compareTo(entries.get(i).key()) >= 0) {
                throw new IllegalArgumentException(
                        "keys of a PK delta must ascend: "
                                + entries.get(i).key()
                                + " follows "
                                + entries.get(i - 1).key());
            }
        }
    }

    /** Sorts entries; of a repeated key the last one stays. */
    public static PkDelta of(Collection<Entry> entries) {
        Map<PrimaryKey, Entry> sorted = new TreeMap<>();
        for (Entry entry : entries) {
            sorted.put(entry.key(), entry);
        }
        return new PkDelta(List.copyOf(sorted.values()));
    }
}
