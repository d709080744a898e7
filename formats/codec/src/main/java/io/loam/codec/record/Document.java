package io.loam.codec.record;

import io.loam.codec.json.JsonValue.JsonObject;
import io.loam.codec.key.PrimaryKey;

import java.util.Map;

/**
 * A document: its key, source object, dense vectors by name and sparse vectors by name. Immutable;
 * arrays inside are not to be changed.
 */
public record Document(
        PrimaryKey key,
        JsonObject source,
        Map<String, float[]> vectors,
        Map<String, SparseVector> sparseVectors) {
    @Override
    public boolean equals(Object other) {
        if (!(other instanceof Document)) {
            return false;
        }
        Document that = (Document) other;
        return key.equals(that.key)
                && source.equals(that.source)
                && sparseVectors.equals(that.sparseVectors)
                && sameVectors(that.vectors);
    }

    private boolean sameVectors(Map<String, float[]> others) {
        if (!vectors.keySet().equals(others.keySet())) {
            return false;
        }
        for (Map.Entry<String, float[]> entry : vectors.entrySet()) {
            if (!Vectors.equal(entry.getValue(), others.get(entry.getKey()))) {
                return false;
            }
        }
        return true;
    }

    @Override
    public int hashCode() {
        return 31 * key.hashCode() + source.hashCode();
    }
}
