package io.loam.codec.manifest;

import javax.annotation.Nullable;

import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * One version of a collection: everything a reader of that version needs to know. All numbers are
 * unsigned.
 *
 * @param lanceVersion 0 for no rows yet, 1 for the empty mainline version, else a detached version
 * @param applied partition to next offset to read
 * @param parentManifest path of the parent's object, empty for none
 * @param pkDelta path, empty for none; only on {@link CommitKind#LINK_APPLY}
 * @param deadLetters path, empty for none; only on {@link CommitKind#LINK_APPLY}
 * @param operation what the commit did, if it stands in the manifest itself (field 100)
 * @param operationPath path of an operation stored by itself, empty for none (field 101)
 * @param properties see {@link ManifestProperties} (field 102)
 * @param rowIdHighWater every row id of this version is below it (field 103)
 */
public record CollectionManifest(
        long version,
        long parentVersion,
        long collectionId,
        long schemaVersion,
        long createdAtMs,
        long lanceVersion,
        List<SplitRef> splits,
        List<VectorIndexRef> vectorIndexes,
        List<HotArtifactRef> hotArtifacts,
        Map<Integer, Long> applied,
        long liveDocCount,
        String parentManifest,
        CommitKind kind,
        String pkDelta,
        String deadLetters,
        long deadLettersTotal,
        long skippedOffsetsTotal,
        List<ScalarIndexRef> scalarIndexes,
        @Nullable UserOperation operation,
        String operationPath,
        Map<String, String> properties,
        long rowIdHighWater) {
    public CollectionManifest {
        splits = List.copyOf(splits);
        vectorIndexes = List.copyOf(vectorIndexes);
        hotArtifacts = List.copyOf(hotArtifacts);
        scalarIndexes = List.copyOf(scalarIndexes);
        applied = Collections.unmodifiableMap(new TreeMap<>(applied));
        properties = Collections.unmodifiableMap(new TreeMap<>(properties));
    }

    /** The state before the first commit: version 0, never stored. */
    public static CollectionManifest empty(long collectionId) {
        return new CollectionManifest(
                0,
                0,
                collectionId,
                0,
                0,
                0,
                List.of(),
                List.of(),
                List.of(),
                Map.of(),
                0,
                "",
                CommitKind.LINK_APPLY,
                "",
                "",
                0,
                0,
                List.of(),
                null,
                "",
                Map.of(),
                0);
    }

    /** The hot artifact of a column of the row store. */
    public Optional<HotArtifactRef> hotArtifact(String column) {
        return hotArtifacts.stream().filter(ref -> ref.column().equals(column)).findFirst();
    }

    /**
     * The same with an explanation of its commit: in the manifest itself, or at a path of its own.
     */
    public CollectionManifest withOperation(@Nullable UserOperation recorded, String path) {
        return new CollectionManifest(
                version,
                parentVersion,
                collectionId,
                schemaVersion,
                createdAtMs,
                lanceVersion,
                splits,
                vectorIndexes,
                hotArtifacts,
                applied,
                liveDocCount,
                parentManifest,
                kind,
                pkDelta,
                deadLetters,
                deadLettersTotal,
                skippedOffsetsTotal,
                scalarIndexes,
                recorded,
                path,
                properties,
                rowIdHighWater);
    }
}
