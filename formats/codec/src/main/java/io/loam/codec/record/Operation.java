package io.loam.codec.record;

import io.loam.codec.json.JsonValue.JsonObject;
import io.loam.codec.key.PrimaryKey;

import javax.annotation.Nullable;

import java.util.List;
import java.util.Map;
import java.util.Optional;

/** One operation on one key. */
public sealed interface Operation {
    PrimaryKey key();

    /** Replaces the document whole. */
    record Upsert(Document document) implements Operation {
        @Override
        public PrimaryKey key() {
            return document.key();
        }
    }

    record Delete(PrimaryKey key) implements Operation {}

    /** How a patch's source meets the current one; ordinals are the wire values. */
    enum PatchMode {
        MERGE_DEEP,
        MERGE_TOP,
        REPLACE
    }

    /** Changes parts of a document; an empty optional removes the vector of that name. */
    record Patch(
            PrimaryKey key,
            PatchMode mode,
            JsonObject source,
            List<String> deleteKeys,
            Map<String, Optional<float[]>> vectors,
            Map<String, Optional<SparseVector>> sparseVectors,
            @Nullable Document upsert)
            implements Operation {}
}
