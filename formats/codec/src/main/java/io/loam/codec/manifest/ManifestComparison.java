package io.loam.codec.manifest;

import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;

/** Equality of manifests by content. */
final class ManifestComparison {
    private static final Map<String, Function<CollectionManifest, Object>> FIELDS = fields();

    private ManifestComparison() {}

    private static Map<String, Function<CollectionManifest, Object>> fields() {
        Map<String, Function<CollectionManifest, Object>> fields = new LinkedHashMap<>();
        fields.put("collection_id", CollectionManifest::collectionId);
        fields.put("kind", CollectionManifest::kind);
        fields.put("schema_version", CollectionManifest::schemaVersion);
        fields.put("lance_version", CollectionManifest::lanceVersion);
        fields.put("splits", m -> m.splits().stream().map(ManifestComparison::shared).toList());
        fields.put("vector_indexes", m -> new HashSet<>(m.vectorIndexes()));
        fields.put("scalar_indexes", m -> new HashSet<>(m.scalarIndexes()));
        fields.put("hot_artifacts", m -> new HashSet<>(m.hotArtifacts()));
        fields.put("applied", CollectionManifest::applied);
        fields.put("live_doc_count", CollectionManifest::liveDocCount);
        fields.put("pk_delta", CollectionManifest::pkDelta);
        fields.put("dead_letters", CollectionManifest::deadLetters);
        fields.put("dead_letters_total", CollectionManifest::deadLettersTotal);
        fields.put("skipped_offsets_total", CollectionManifest::skippedOffsetsTotal);
        return fields;
    }

    static Optional<String> firstDifference(CollectionManifest a, CollectionManifest b) {
        for (Map.Entry<String, Function<CollectionManifest, Object>> field : FIELDS.entrySet()) {
            Object left = field.getValue().apply(a);
            Object right = field.getValue().apply(b);
            if (!left.equals(right)) {
                return Optional.of(field.getKey() + ": " + left + " is not " + right);
            }
        }
        return Optional.empty();
    }

    /** A split without the fields that other implementations do not know. */
    static SplitRef shared(SplitRef split) {
        return new SplitRef(
                split.ulid(),
                split.docCount(),
                split.deletedCount(),
                split.sizeBytes(),
                split.footerStart(),
                split.footerEnd(),
                split.ranges(),
                split.deleteBitmap(),
                split.schemaVersion(),
                split.createdAtMs(),
                split.mergeOps(),
                0);
    }

    /** Whether a split is the other one but for its deletions. */
    static boolean sameButDeletions(SplitRef a, SplitRef b) {
        return shared(a).withDeletes(0, "").equals(shared(b).withDeletes(0, ""));
    }
}
