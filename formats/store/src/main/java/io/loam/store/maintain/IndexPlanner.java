package io.loam.store.maintain;

import io.loam.codec.lance.LanceFragment;
import io.loam.codec.lance.LanceIndexSegment;
import io.loam.codec.schema.CollectionSchema;
import io.loam.codec.schema.CollectionSchema.Distance;
import io.loam.codec.schema.CollectionSchema.Vector;
import io.loam.codec.schema.CollectionSchema.VectorIndex;
import io.loam.codec.schema.IndexNames;
import io.loam.codec.schema.VectorColumns;
import io.loam.store.maintain.MaintenanceTask.BuildIndex;
import io.loam.store.spi.IndexKind;
import io.loam.store.spi.IndexRequest.Vectors;

import javax.annotation.Nullable;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;

/**
 * Chooses the indexes to build, at most one task for each. Pure.
 *
 * <pre>
 * vectors   no segment yet, and rows enough               all fragments
 *           segments of another kind than the schema's    all fragments, in their place
 *           enough uncovered rows                         the uncovered fragments, or, if that
 *                                                         would be a segment too many, all of them
 * keys      no segment yet, and rows enough               all fragments
 *           enough uncovered rows                         all fragments
 * </pre>
 *
 * A segment of uncovered rows uses what the largest segment was trained to, unless it has more rows
 * itself: a segment with too few partitions is slow to search.
 */
final class IndexPlanner {
    private static final int DEFAULT_BITS = 8;
    private static final String KEY_COLUMN = "_pk";
    private static final int KEY_SHARE = 10;

    private final IndexPolicy policy;

    IndexPlanner(IndexPolicy policy) {
        this.policy = policy;
    }

    /**
     * What is there.
     *
     * @param kinds of segments, as the manifest names them
     */
    record Indexed(
            List<LanceFragment> fragments,
            List<LanceIndexSegment> segments,
            Map<UUID, IndexKind> kinds) {
        Indexed {
            fragments = fragments.stream().filter(f -> f.liveRows() > 0).toList();
            segments = List.copyOf(segments);
            kinds = Map.copyOf(kinds);
        }

        List<LanceIndexSegment> of(String name) {
            return segments.stream().filter(segment -> segment.name().equals(name)).toList();
        }

        long rows(Set<Long> covered, boolean inside) {
            return fragments.stream()
                    .filter(fragment -> covered.contains(fragment.id()) == inside)
                    .mapToLong(LanceFragment::liveRows)
                    .sum();
        }
    }

    List<BuildIndex> plan(CollectionSchema schema, Indexed indexed) {
        if (!policy.enabled() || indexed.fragments().isEmpty()) {
            return List.of();
        }
        List<BuildIndex> tasks = new ArrayList<>();
        for (int i = 0; i < schema.vectors().size(); i++) {
            vectors(i, schema.vectors().get(i), indexed).ifPresent(tasks::add);
        }
        keys(indexed).ifPresent(tasks::add);
        return tasks;
    }

    private Optional<BuildIndex> vectors(int position, Vector vector, Indexed indexed) {
        IndexKind kind = kind(vector);
        if (kind == null) {
            return Optional.empty();
        }
        List<LanceIndexSegment> segments = indexed.of(IndexNames.ofVector(position));
        Set<Long> covered = covered(segments);
        long rest = indexed.rows(covered, false);
        boolean replaced =
                segments.stream().anyMatch(s -> indexed.kinds().get(s.id()) != kind)
                        || segments.size() + 1 >= policy.maxSegments()
                                && rest >= policy.deltaRows();
        if (segments.isEmpty() || replaced) {
            return rest + indexed.rows(covered, true) < policy.firstRows()
                    ? Optional.empty()
                    : Optional.of(task(position, vector, kind, indexed, segments, null));
        }
        if (rest < policy.deltaRows()) {
            return Optional.empty();
        }
        LanceIndexSegment largest =
                segments.stream()
                        .max(Comparator.comparing(s -> indexed.rows(s.fragments(), true)))
                        .orElseThrow();
        boolean fits = rest <= indexed.rows(largest.fragments(), true);
        return Optional.of(
                task(position, vector, kind, indexed, covered, fits ? largest.id() : null));
    }

    /** All fragments, in the place of the segments. */
    private static BuildIndex task(
            int position,
            Vector vector,
            IndexKind kind,
            Indexed indexed,
            List<LanceIndexSegment> replaced,
            @Nullable UUID trained) {
        return new BuildIndex(
                IndexNames.ofVector(position),
                VectorColumns.dense(position),
                vector.name(),
                kind,
                vectors(vector),
                indexed.fragments().stream().map(LanceFragment::id).toList(),
                replaced.stream().map(LanceIndexSegment::id).toList(),
                trained);
    }

    /** What is not covered, beside the segments. */
    private static BuildIndex task(
            int position,
            Vector vector,
            IndexKind kind,
            Indexed indexed,
            Set<Long> covered,
            @Nullable UUID trained) {
        return new BuildIndex(
                IndexNames.ofVector(position),
                VectorColumns.dense(position),
                vector.name(),
                kind,
                vectors(vector),
                indexed.fragments().stream()
                        .map(LanceFragment::id)
                        .filter(id -> !covered.contains(id))
                        .toList(),
                List.of(),
                trained);
    }

    private Optional<BuildIndex> keys(Indexed indexed) {
        List<LanceIndexSegment> segments = indexed.of(IndexNames.KEYS);
        Set<Long> covered = covered(segments);
        long rest = indexed.rows(covered, false);
        boolean due = rest >= policy.keyRows() && rest >= indexed.rows(covered, true) / KEY_SHARE;
        if (!due) {
            return Optional.empty();
        }
        return Optional.of(
                new BuildIndex(
                        IndexNames.KEYS,
                        KEY_COLUMN,
                        "",
                        IndexKind.BTREE,
                        null,
                        indexed.fragments().stream().map(LanceFragment::id).toList(),
                        segments.stream().map(LanceIndexSegment::id).toList(),
                        null));
    }

    private static Set<Long> covered(List<LanceIndexSegment> segments) {
        Set<Long> covered = new HashSet<>();
        segments.forEach(segment -> covered.addAll(segment.fragments()));
        return covered;
    }

    @Nullable
    private static IndexKind kind(Vector vector) {
        if (vector.distance() == Distance.MANHATTAN || vector.index() instanceof VectorIndex.None) {
            return null;
        }
        if (vector.index() instanceof VectorIndex.IvfRq) {
            return IndexKind.IVF_RQ;
        }
        return vector.index() instanceof VectorIndex.IvfHnswSq
                ? IndexKind.IVF_HNSW_SQ
                : IndexKind.IVF_PQ;
    }

    private static Vectors vectors(Vector vector) {
        if (vector.index() instanceof VectorIndex.IvfPq pq) {
            return vectors(vector, pq.numPartitions(), pq.numSubVectors(), pq.numBits());
        }
        if (vector.index() instanceof VectorIndex.IvfRq rq) {
            return vectors(vector, rq.numPartitions(), null, rq.numBits());
        }
        if (vector.index() instanceof VectorIndex.IvfHnswSq sq) {
            return vectors(vector, sq.numPartitions(), null, 0);
        }
        return vectors(vector, null, null, DEFAULT_BITS);
    }

    private static Vectors vectors(
            Vector vector, @Nullable Long partitions, @Nullable Long subVectors, int bits) {
        return new Vectors(
                vector.dim(),
                vector.distance(),
                partitions == null ? null : Math.toIntExact(partitions),
                subVectors == null ? null : Math.toIntExact(subVectors),
                bits);
    }
}
