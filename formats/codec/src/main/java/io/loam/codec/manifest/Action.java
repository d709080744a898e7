package io.loam.codec.manifest;

import io.loam.codec.Ulid;

import javax.annotation.Nullable;

import java.util.Collections;
import java.util.Map;
import java.util.TreeMap;

/**
 * One granular change. Those declared here change the collection manifest or its tags; {@link
 * LanceAction}s describe the Lance manifest and leave the collection manifest as it is. Numbers are
 * unsigned unless said otherwise.
 */
public sealed interface Action permits Action.OfCollection, LanceAction {

    /** Changes of the collection's own state. */
    sealed interface OfCollection extends Action {}

    /** Rows are read from version {@code to}; the parent must be at {@code from}. */
    record SetLanceVersion(long from, long to) implements OfCollection {}

    /** Inserts a split at index {@code position} of the list at that moment. */
    record AddSplit(SplitRef split, int position) implements OfCollection {}

    record RemoveSplit(Ulid ulid) implements OfCollection {}

    /** Replaces a split's deletions. */
    record UpdateSplit(Ulid ulid, long deletedCount, String deleteBitmap) implements OfCollection {}

    record AddVectorIndexRef(VectorIndexRef index) implements OfCollection {}

    record AddScalarIndexRef(ScalarIndexRef index) implements OfCollection {}

    /** Removes the vector or scalar index with this hyphenated UUID. */
    record RemoveIndexRef(String uuid) implements OfCollection {}

    /** Replaces the hot artifact of the column. */
    record SetHotArtifact(HotArtifactRef artifact) implements OfCollection {}

    record RemoveHotArtifact(String column) implements OfCollection {}

    /**
     * Partitions whose next offset moved, and where to.
     *
     * @param next partition to next offset; values only grow
     */
    record AdvanceOffsets(Map<Integer, Long> next) implements OfCollection {
        public AdvanceOffsets {
            next = Collections.unmodifiableMap(new TreeMap<>(next));
        }
    }

    /**
     * What the counters grow by.
     *
     * @param liveDocs signed
     */
    record AdjustCounters(long liveDocs, long deadLetters, long skippedOffsets)
            implements OfCollection {}

    record SetSchemaVersion(long schemaVersion) implements OfCollection {}

    /** Paths of files that belong to this version alone, empty for none. */
    record AttachFiles(String pkDelta, String deadLetters) implements OfCollection {}

    /** Marks a commit of an erasure that must have passed {@code offsets}; changes nothing. */
    record EraseMark(String erasureId, Map<Integer, Long> offsets) implements OfCollection {
        public EraseMark {
            offsets = Collections.unmodifiableMap(new TreeMap<>(offsets));
        }
    }

    /**
     * Makes a tag.
     *
     * @param manifestVersion absent for the version this commit makes
     * @param expiresAtMs absent for never
     */
    record AddTag(
            String name,
            @Nullable Long manifestVersion,
            @Nullable String description,
            @Nullable Long expiresAtMs,
            boolean protect)
            implements OfCollection {
        /** A tag of the version this commit makes, without end or protection. */
        public static AddTag named(String name) {
            return new AddTag(name, null, null, null, false);
        }
    }

    record RemoveTag(String name) implements OfCollection {}
}
