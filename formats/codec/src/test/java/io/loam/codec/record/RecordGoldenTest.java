package io.loam.codec.record;

import io.loam.codec.json.Json;
import io.loam.codec.json.JsonValue.JsonObject;
import io.loam.codec.json.JsonValue.JsonString;
import io.loam.codec.key.InvalidKeyException;
import io.loam.codec.key.PrimaryKey;
import io.loam.codec.manifest.Golden;
import io.loam.codec.record.RecordException.Reason;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

class RecordGoldenTest {
    private static final Golden FILE = Golden.file("records.json");
    private static final Map<String, Reason> REASONS =
            Map.of(
                    "MissingKey", Reason.MISSING_KEY,
                    "MissingValue", Reason.MISSING_VALUE,
                    "TooLarge", Reason.TOO_LARGE,
                    "UnknownVersion", Reason.UNKNOWN_VERSION,
                    "InvalidKey", Reason.INVALID_KEY,
                    "Malformed", Reason.MALFORMED,
                    "KeyMismatch", Reason.KEY_MISMATCH);
    private static final PrimaryKey KEY = PrimaryKey.ofU64(1);

    static List<Golden> roundTrips() {
        return FILE.get("encode_decode").list();
    }

    static List<Golden> accepted() {
        return FILE.get("decode_accepts").list();
    }

    static List<Golden> rejected() {
        return FILE.get("decode_rejects").list();
    }

    static List<Golden> encodeRejects() {
        return FILE.get("encode_rejects").list();
    }

    static List<Golden> allowed() {
        return FILE.get("not_rejected_by_codec").list();
    }

    @ParameterizedTest
    @MethodSource("roundTrips")
    void encodesAndDecodes(Golden golden) {
        Operation operation = GoldenDocuments.operation(golden.get("op"));
        byte[] value = RecordCodec.encode(operation);
        assertThat(HexFormat.of().formatHex(value)).isEqualTo(golden.get("value_hex").text());
        assertThat(value).hasSize((int) golden.get("value_len").u64());
        assertThat(operation.key().canonical()).isEqualTo(golden.get("key_hex").hex());
        Operation decoded = RecordCodec.decode(golden.get("key_hex").hex(), value);
        assertThat(RecordCodec.encode(decoded)).isEqualTo(value);
        assertThat(decoded.getClass()).isEqualTo(operation.getClass());
    }

    @ParameterizedTest
    @MethodSource("accepted")
    void accepts(Golden golden) {
        Operation operation =
                RecordCodec.decode(golden.get("key_hex").hex(), golden.get("value_hex").hex());
        if (golden.has("decoded")) {
            assertThat("delete " + operation.key()).isEqualTo(golden.get("decoded").text());
            assertThat(operation).isInstanceOf(Operation.Delete.class);
            return;
        }
        Document document = ((Operation.Upsert) operation).document();
        if (golden.has("decoded_sparse")) {
            assertThat(document.sparseVectors())
                    .isEqualTo(
                            GoldenDocuments.map(
                                    golden.get("decoded_sparse"), GoldenDocuments::sparse));
        } else if (golden.has("decoded_vectors")) {
            Map<String, float[]> expected =
                    GoldenDocuments.map(golden.get("decoded_vectors"), GoldenDocuments::floats);
            assertThat(document.vectors().keySet()).isEqualTo(expected.keySet());
            expected.forEach((n, v) -> assertThat(document.vectors().get(n)).isEqualTo(v));
        } else {
            assertThat(Json.text(document.source()))
                    .isEqualTo(golden.get("decoded_source_text").text());
        }
    }

    @ParameterizedTest
    @MethodSource("rejected")
    void rejects(Golden golden) {
        byte[] key = golden.get("key_hex").isNull() ? null : golden.get("key_hex").hex();
        byte[] value = golden.get("value_hex").isNull() ? null : golden.get("value_hex").hex();
        RecordException e =
                catchThrowableOfType(RecordException.class, () -> RecordCodec.decode(key, value));
        assertThat(e).isNotNull();
        assertThat(e.reason()).isEqualTo(REASONS.get(golden.get("error").text())).isNotNull();
    }

    @ParameterizedTest
    @MethodSource("encodeRejects")
    void refusesToEncode(Golden golden) {
        String op = golden.get("op").text();
        Reason reason = REASONS.get(golden.get("error").text());
        switch (op) {
            case "delete of an empty string key" -> {
                assertThat(reason).isEqualTo(Reason.INVALID_KEY);
                assertThatThrownBy(() -> PrimaryKey.ofString(""))
                        .isInstanceOf(InvalidKeyException.class);
            }
            case "upsert or patch with NaN or infinite dense value" -> {
                for (float bad : new float[] {Float.NaN, Float.POSITIVE_INFINITY}) {
                    float[] vector = {1, bad};
                    refused(upsert(JsonObject.EMPTY, Map.of("v", vector)), reason);
                    refused(patch(List.of(), Map.of("v", Optional.of(vector)), null), reason);
                }
            }
            case "upsert whose source alone holds a 16 MiB string" ->
                    refused(upsert(filler(RecordCodec.MAX_VALUE_BYTES), Map.of()), reason);
            default -> throw new AssertionError("unknown phrase: " + op);
        }
    }

    @ParameterizedTest
    @MethodSource("allowed")
    void doesNotRefuse(Golden golden) {
        switch (golden.text()) {
            case "a patch whose upsert has another key" ->
                    survives(patch(List.of(), Map.of(), document(PrimaryKey.ofU64(9))));
            case "delete_keys that are not paths" ->
                    survives(patch(List.of("", "a..b", ".a", "a."), Map.of(), null));
            case "any vector name or dimension" ->
                    survives(
                            upsert(
                                    JsonObject.EMPTY,
                                    Map.of("", new float[0], "a b\n", new float[70_000])));
            case "a value of exactly 16777216 bytes" ->
                    assertThat(RecordCodec.encode(ofSize(RecordCodec.MAX_VALUE_BYTES)))
                            .hasSize(RecordCodec.MAX_VALUE_BYTES);
            default -> throw new AssertionError("unknown phrase: " + golden.text());
        }
    }

    @Test
    void sixteenMebibytesPassAndOneMoreIsTooLarge() {
        Operation largest = ofSize(RecordCodec.MAX_VALUE_BYTES);
        byte[] value = RecordCodec.encode(largest);
        assertThat(RecordCodec.decode(KEY.canonical(), value)).isEqualTo(largest);
        refused(ofSize(RecordCodec.MAX_VALUE_BYTES + 1), Reason.TOO_LARGE);
        byte[] larger = java.util.Arrays.copyOf(value, value.length + 1);
        assertThatThrownBy(() -> RecordCodec.decode(KEY.canonical(), larger))
                .isInstanceOfSatisfying(
                        RecordException.class,
                        e -> assertThat(e.reason()).isEqualTo(Reason.TOO_LARGE))
                .hasMessageContaining("16777217 bytes");
    }

    /** An upsert whose value has exactly that many bytes. */
    private static Operation ofSize(int bytes) {
        int around = RecordCodec.encode(upsert(filler(1 << 22), Map.of())).length - (1 << 22);
        return upsert(filler(bytes - around), Map.of());
    }

    private static JsonObject filler(int characters) {
        return new JsonObject(Map.of("s", new JsonString("x".repeat(characters))));
    }

    private static Operation upsert(JsonObject source, Map<String, float[]> vectors) {
        return new Operation.Upsert(new Document(KEY, source, vectors, Map.of()));
    }

    private static Document document(PrimaryKey key) {
        return new Document(key, JsonObject.EMPTY, Map.of(), Map.of());
    }

    private static Operation patch(
            List<String> deleteKeys, Map<String, Optional<float[]>> vectors, Document upsert) {
        return new Operation.Patch(
                KEY,
                Operation.PatchMode.REPLACE,
                JsonObject.EMPTY,
                deleteKeys,
                vectors,
                Map.of(),
                upsert);
    }

    private static void refused(Operation operation, Reason reason) {
        assertThatThrownBy(() -> RecordCodec.encode(operation))
                .isInstanceOfSatisfying(
                        RecordException.class, e -> assertThat(e.reason()).isEqualTo(reason));
    }

    private static void survives(Operation operation) {
        byte[] value = RecordCodec.encode(operation);
        Operation decoded = RecordCodec.decode(operation.key().canonical(), value);
        assertThat(RecordCodec.encode(decoded)).isEqualTo(value);
    }
}
