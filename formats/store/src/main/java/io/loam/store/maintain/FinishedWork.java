package io.loam.store.maintain;

import io.loam.codec.Ulid;
import io.loam.codec.lance.NewIndexSegment;
import io.loam.codec.manifest.SplitRef;
import io.loam.codec.staged.UnitColumn;
import io.loam.store.maintain.MaintenanceTask.BuildHot;
import io.loam.store.maintain.MaintenanceTask.BuildIndex;

import javax.annotation.Nullable;

import java.io.Serializable;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;

/**
 * What a task has built and uploaded, on whatever version. The files fit every later version, so
 * long as what they replace is still there; what was deleted meanwhile is found when it is
 * published.
 */
public sealed interface FinishedWork extends Serializable {
    /** Names the descriptor that keeps the files until they are published. */
    Ulid unit();

    /** When the unit was begun, metastore clock. */
    long createdAtMs();

    /**
     * A split in the place of others. Row ids in its ranges ascend; what is deleted of it, its
     * creation and its count of merges are decided when it is published.
     *
     * @param inputs ascending
     * @param split null if no document of the inputs was live
     * @param joined whether its segments were joined instead of indexing rows anew
     */
    record MergedSplits(
            List<Ulid> inputs,
            @Nullable SplitRef split,
            Ulid unit,
            long createdAtMs,
            boolean joined)
            implements FinishedWork {
        private static final long serialVersionUID = 2L;

        public MergedSplits {
            inputs = inputs.stream().sorted().toList();
        }
    }

    /**
     * A data file that becomes a fragment.
     *
     * @param dataFile file name under {@code lance/data/}
     * @param columns vector columns after the base columns, in file order
     * @param rowIds of the file's rows, which ascend, as {@code RowIdEncoder} writes them
     * @param rowIdFile name of the uploaded file under {@code lance/} that holds them; null if they
     *     are few bytes
     */
    record NewFragment(
            String dataFile,
            long bytes,
            List<UnitColumn> columns,
            long rows,
            byte[] rowIds,
            @Nullable String rowIdFile)
            implements Serializable {
        private static final long serialVersionUID = 1L;

        public NewFragment {
            columns = List.copyOf(columns);
        }
    }

    /**
     * Fragments in the place of others, with the same row ids.
     *
     * @param fragmentIds that are replaced, in the order of the row version
     * @param added none if no row of them was live
     */
    record CompactedFragments(
            List<Long> fragmentIds, List<NewFragment> added, Ulid unit, long createdAtMs)
            implements FinishedWork {
        private static final long serialVersionUID = 1L;

        public CompactedFragments {
            fragmentIds = List.copyOf(fragmentIds);
            added = List.copyOf(added);
        }
    }

    /**
     * A hot graph, uploaded.
     *
     * @param prefix of its objects, ends with a slash
     * @param sourceVersion of the collection; unsigned
     * @param points rows in it
     */
    record FinishedHot(
            BuildHot task,
            String prefix,
            long sourceVersion,
            long points,
            Ulid unit,
            long createdAtMs)
            implements FinishedWork {
        private static final long serialVersionUID = 1L;
    }

    /**
     * A segment of an index, whose files are in their place.
     *
     * @param rows that it holds
     * @param builtOn the row version; unsigned
     * @param nextRowId of that version: rows from there on are not in it
     */
    record FinishedIndex(
            BuildIndex task,
            NewIndexSegment segment,
            long rows,
            long builtOn,
            long nextRowId,
            Ulid unit,
            long createdAtMs)
            implements FinishedWork {
        private static final long serialVersionUID = 1L;
    }

    /**
     * A step of an erasure, which leaves its mark in the history and builds nothing.
     *
     * @param erasure its id
     * @param offsets of the stream up to which records are erased, by partition
     * @param clean what was found to hold nothing of it, if older versions are released; null if
     *     other work is only marked
     */
    record ErasureStep(
            Ulid erasure,
            Map<Integer, Long> offsets,
            @Nullable Clean clean,
            Ulid unit,
            long createdAtMs)
            implements FinishedWork {
        private static final long serialVersionUID = 1L;

        public ErasureStep {
            offsets = Map.copyOf(offsets);
        }
    }

    /**
     * What holds nothing of an erasure.
     *
     * @param dataFiles paths under the dataset's root
     */
    record Clean(Set<Ulid> splits, Set<String> dataFiles, Set<UUID> indexes)
            implements Serializable {
        private static final long serialVersionUID = 1L;

        public Clean {
            splits = Set.copyOf(splits);
            dataFiles = Set.copyOf(dataFiles);
            indexes = Set.copyOf(indexes);
        }
    }
}
