package io.loam.store.read;

import io.loam.codec.manifest.RowLocator;
import io.loam.store.object.ParallelIo;
import io.loam.store.query.SearchQuery;
import io.loam.store.spi.Projection;
import io.loam.store.spi.SplitHit;
import io.loam.store.spi.StoredRow;

import javax.annotation.Nullable;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * Finds the best documents of all splits. Their keys are asked of the splits where keys are all
 * that is wanted, which saves opening the rows; everything else is read from the rows.
 */
final class RankedSearch {
    private final List<OpenSplit> splits;
    private final RowLocator locator;
    private final ParallelIo reads;

    RankedSearch(List<OpenSplit> splits, RowLocator locator, ParallelIo reads) {
        this.splits = splits;
        this.locator = locator;
        this.reads = reads;
    }

    /** A hit in the split of this position in the manifest. */
    private record Candidate(long rowId, int position, SplitHit hit) {
        float score() {
            return hit.score();
        }
    }

    List<SearchResult> search(SearchQuery query, int k, Projection projection, KeyLookUps.Rows rows)
            throws IOException {
        List<Integer> all = IntStream.range(0, splits.size()).boxed().toList();
        List<List<SplitHit>> hits =
                reads.map(all, position -> splits.get(position).reader().search(query, k));
        List<Candidate> candidates = new ArrayList<>();
        for (int position : all) {
            for (SplitHit hit : hits.get(position)) {
                long rowId = splits.get(position).rowId(locator, position, hit.doc());
                candidates.add(new Candidate(rowId, position, hit));
            }
        }
        List<Candidate> contenders = contenders(candidates, k);
        List<SearchResult> found =
                projection.equals(Projection.KEYS) ? byTheirKeys(contenders) : null;
        if (found == null) {
            found = byTheirRows(contenders, projection, rows);
        }
        return found.stream()
                .sorted(
                        Comparator.comparing(SearchResult::score, Comparator.reverseOrder())
                                .thenComparing(result -> result.row().key()))
                .limit(k)
                .toList();
    }

    /** The hits that may be among the k best once ties are broken by key. */
    private static List<Candidate> contenders(List<Candidate> candidates, int k) {
        List<Candidate> ordered = new ArrayList<>(candidates);
        ordered.sort(
                Comparator.comparing(Candidate::score, Comparator.reverseOrder())
                        .thenComparing(Candidate::rowId));
        float last = ordered.isEmpty() ? 0 : ordered.get(Math.min(k, ordered.size()) - 1).score();
        return ordered.stream().filter(candidate -> candidate.score() >= last).toList();
    }

    /** Null if one of the splits cannot tell the keys of its documents. */
    @Nullable
    private List<SearchResult> byTheirKeys(List<Candidate> candidates) throws IOException {
        Map<Integer, List<Candidate>> bySplit =
                candidates.stream().collect(Collectors.groupingBy(Candidate::position));
        List<SearchResult> found = new ArrayList<>();
        for (List<SearchResult> some :
                reads.map(List.copyOf(bySplit.values()), this::byKeysOfSplit)) {
            if (some == null) {
                return null;
            }
            found.addAll(some);
        }
        return found;
    }

    @Nullable
    private List<SearchResult> byKeysOfSplit(List<Candidate> candidates) throws IOException {
        OpenSplit split = splits.get(candidates.get(0).position());
        int[] docs = candidates.stream().mapToInt(candidate -> candidate.hit().doc()).toArray();
        List<byte[]> keys = split.reader().keysOf(docs);
        if (keys == null) {
            return null;
        }
        List<SearchResult> results = new ArrayList<>();
        for (int i = 0; i < keys.size(); i++) {
            Candidate candidate = candidates.get(i);
            results.add(result(candidate, split.keyOnly(candidate.rowId(), keys.get(i))));
        }
        return results;
    }

    private List<SearchResult> byTheirRows(
            List<Candidate> candidates, Projection projection, KeyLookUps.Rows rows)
            throws IOException {
        if (candidates.isEmpty()) {
            return List.of();
        }
        Map<Long, Candidate> byRow = new HashMap<>();
        candidates.forEach(candidate -> byRow.put(candidate.rowId(), candidate));
        long[] ids = candidates.stream().mapToLong(Candidate::rowId).toArray();
        return rows.open().takeAll(ids, projection).stream()
                .map(row -> result(byRow.get(row.rowId()), row))
                .toList();
    }

    private SearchResult result(Candidate candidate, StoredRow row) {
        return new SearchResult(row, candidate.score(), splits.get(candidate.position()).ulid());
    }
}
