package io.loam.flink.connector.table;

import io.loam.codec.key.PrimaryKey;
import io.loam.store.spi.StoredRow;

import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Reciprocal rank fusion (Cormack, Clarke, Buettcher, SIGIR 2009): a document scores the sum of 1 /
 * (60 + rank) over the rankings it is in, the first of a ranking having rank 1.
 */
final class RankFusion {
    /** How many of the best of each ranking are looked at, at least. */
    static final int DEPTH = 100;

    private static final int CONSTANT = 60;

    /** A document and its score. */
    record Fused(StoredRow row, double score) {}

    private RankFusion() {}

    /** The k best, best first, equal scores by key. */
    static List<Fused> fuse(List<List<StoredRow>> rankings, int k) {
        Map<PrimaryKey, Fused> fused = new HashMap<>();
        for (List<StoredRow> ranking : rankings) {
            for (int i = 0; i < ranking.size(); i++) {
                StoredRow row = ranking.get(i);
                fused.merge(
                        row.key(),
                        new Fused(row, 1.0 / (CONSTANT + i + 1)),
                        (one, other) -> new Fused(one.row(), one.score() + other.score()));
            }
        }
        return fused.values().stream()
                .sorted(
                        Comparator.comparing(Fused::score, Comparator.reverseOrder())
                                .thenComparing(one -> one.row().key()))
                .limit(k)
                .toList();
    }
}
