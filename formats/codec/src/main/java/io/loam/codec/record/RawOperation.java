package io.loam.codec.record;

import io.loam.codec.json.Json;
import io.loam.codec.json.JsonSyntaxException;
import io.loam.codec.json.JsonValue.JsonObject;
import io.loam.codec.key.InvalidKeyException;
import io.loam.codec.key.PrimaryKey;
import io.loam.codec.record.Operation.PatchMode;
import io.loam.codec.record.RecordException.Reason;

import javax.annotation.Nullable;

import java.util.List;
import java.util.Map;
import java.util.Optional;

/** A body that is well-formed postcard and still has to be checked for what it says. */
record RawOperation(
        Kind kind,
        @Nullable RawDocument upsert,
        @Nullable byte[] delete,
        @Nullable RawPatch patch) {

    enum Kind {
        UPSERT,
        DELETE,
        PATCH
    }

    record RawDocument(
            byte[] key,
            byte[] source,
            Map<String, float[]> vectors,
            Map<String, SparseVector> sparse) {
        Document checked() {
            PrimaryKey primaryKey = RawOperation.key(key);
            vectors.forEach(RawOperation::requireFinite);
            return new Document(primaryKey, object(source), vectors, sparse);
        }
    }

    record RawPatch(
            byte[] key,
            PatchMode mode,
            byte[] source,
            List<String> deleteKeys,
            Map<String, Optional<float[]>> vectors,
            Map<String, Optional<SparseVector>> sparse,
            Optional<RawDocument> upsert) {
        Operation checked() {
            vectors.forEach((name, v) -> v.ifPresent(vector -> requireFinite(name, vector)));
            JsonObject object = object(source);
            Document fresh = upsert.map(RawDocument::checked).orElse(null);
            return new Operation.Patch(
                    comparedKey(key), mode, object, deleteKeys, vectors, sparse, fresh);
        }
    }

    Operation checked() {
        switch (kind) {
            case UPSERT:
                return new Operation.Upsert(upsert.checked());
            case DELETE:
                return new Operation.Delete(comparedKey(delete));
            default:
                return patch.checked();
        }
    }

    /** The key of a delete or patch: one that is not valid cannot equal the record's, which is. */
    private static PrimaryKey comparedKey(byte[] canonical) {
        try {
            return PrimaryKey.parseCanonical(canonical);
        } catch (InvalidKeyException e) {
            throw new RecordException(
                    Reason.KEY_MISMATCH,
                    "the body's key differs from the record's key: " + e.getMessage());
        }
    }

    private static PrimaryKey key(byte[] canonical) {
        try {
            return PrimaryKey.parseCanonical(canonical);
        } catch (InvalidKeyException e) {
            throw new RecordException(
                    Reason.INVALID_KEY, "invalid key in the body: " + e.getMessage());
        }
    }

    private static void requireFinite(String name, float[] vector) {
        for (int i = 0; i < vector.length; i++) {
            if (!Float.isFinite(vector[i])) {
                throw new RecordException(
                        Reason.MALFORMED,
                        "malformed body: vector \"" + name + "\" holds " + vector[i]);
            }
        }
    }

    private static JsonObject object(byte[] source) {
        try {
            return Json.parseObject(source);
        } catch (JsonSyntaxException e) {
            throw new RecordException(
                    Reason.MALFORMED,
                    "malformed body: the source is no JSON object: " + e.getMessage());
        }
    }
}
