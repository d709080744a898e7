package io.loam.store.maintain;

import io.loam.codec.Ulid;

import java.io.Serializable;
import java.util.List;

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
}
