package io.loam.store.maintain;

import io.loam.codec.Ulid;
import io.loam.store.spi.IndexKind;
import io.loam.store.spi.IndexRequest;

import javax.annotation.Nullable;

import java.io.Serializable;
import java.util.List;
import java.util.UUID;

/**
 * What is to be done, never how. Planned on one version and worth nothing after a failure: the next
 * plan finds it again if it still is to be done.
 */
public sealed interface MaintenanceTask extends Serializable {

    /** What people read. */
    String describe();

    /**
     * Makes one split of several, or of one without its deleted documents.
     *
     * @param inputs ascending
     */
    record MergeSplits(List<Ulid> inputs) implements MaintenanceTask {
        private static final long serialVersionUID = 1L;

        public MergeSplits {
            inputs = inputs.stream().sorted().toList();
            if (inputs.isEmpty()) {
                throw new IllegalArgumentException("a merge needs a split");
            }
        }

        /** Whether one split is rewritten without what is deleted of it. */
        public boolean isPurge() {
            return inputs.size() == 1;
        }

        @Override
        public String describe() {
            return isPurge()
                    ? "purge split " + inputs.get(0)
                    : "merge " + inputs.size() + " splits from " + inputs.get(0);
        }
    }

    /**
     * Rewrites fragments of the row version without their deleted rows.
     *
     * @param fragmentIds in the order of the row version
     */
    record CompactFragments(List<Long> fragmentIds) implements MaintenanceTask {
        private static final long serialVersionUID = 1L;

        public CompactFragments {
            fragmentIds = List.copyOf(fragmentIds);
            if (fragmentIds.isEmpty()) {
                throw new IllegalArgumentException("a compaction needs a fragment");
            }
        }

        @Override
        public String describe() {
            return "compact fragments " + fragmentIds;
        }
    }

    /**
     * Builds the hot graph of a vector.
     *
     * @param position of the vector in the schema
     * @param column of the row store
     */
    record BuildHot(int position, String column, String vectorName) implements MaintenanceTask {
        private static final long serialVersionUID = 1L;

        @Override
        public String describe() {
            return "build the hot graph for " + column;
        }
    }

    /**
     * Builds a segment of an index.
     *
     * @param name of the index
     * @param column of the row store
     * @param vectorName as the schema calls it; empty for an index of keys
     * @param vectors how they are indexed; null for an index of keys
     * @param fragmentIds that the segment is to cover, in the order of the row version
     * @param replaced segments that it takes the place of
     * @param trained segment whose partitions and codes it uses; null to train its own
     */
    record BuildIndex(
            String name,
            String column,
            String vectorName,
            IndexKind kind,
            @Nullable IndexRequest.Vectors vectors,
            List<Long> fragmentIds,
            List<UUID> replaced,
            @Nullable UUID trained)
            implements MaintenanceTask {
        private static final long serialVersionUID = 1L;

        public BuildIndex {
            fragmentIds = List.copyOf(fragmentIds);
            replaced = List.copyOf(replaced);
            if (fragmentIds.isEmpty()) {
                throw new IllegalArgumentException("an index needs a fragment");
            }
        }

        @Override
        public String describe() {
            return "index fragments "
                    + fragmentIds
                    + " in "
                    + name
                    + (replaced.isEmpty() ? "" : " anew");
        }
    }
}
