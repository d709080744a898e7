package io.loam.codec.schema;

import io.loam.codec.json.Json;
import io.loam.codec.json.JsonValue.JsonObject;
import io.loam.codec.key.PrimaryKey;
import io.loam.codec.record.Document;
import io.loam.codec.record.Operation.Patch;
import io.loam.codec.record.Operation.PatchMode;
import io.loam.codec.record.SparseVector;

import org.junit.jupiter.api.Test;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

import static org.assertj.core.api.Assertions.assertThat;

class DocumentCheckTest {
    private static final PrimaryKey KEY = PrimaryKey.ofString("k");
    private static final CollectionSchema SCHEMA =
            GoldenSchemas.parse("strict; i64 n, dense v dim 3, sparse s");
    private static final SparseVector SPARSE = new SparseVector(new int[] {1}, new float[] {1});

    @Test
    void reportsFieldsThenPathsThenDenseThenSparse() {
        Document document =
                document(
                        "{'other':1,'n':'x'}",
                        Map.of("v", new float[] {1, Float.NaN, 2}),
                        Map.of("t", SPARSE));
        assertThat(DocumentCheck.of(SCHEMA).violations(document))
                .containsExactly(
                        new Violation("n", "cannot index \"x\" as i64"),
                        new Violation("other", "strict dynamic mapping: other is not mapped"),
                        new Violation("vectors.v", "holds NaN, which is not finite"),
                        new Violation("sparse_vectors.t", "unknown sparse vector"));
        assertThat(DocumentCheck.of(SCHEMA).firstViolation(document))
                .contains(new Violation("n", "cannot index \"x\" as i64"));
        assertThat(DocumentCheck.lenient(SCHEMA).violations(document))
                .extracting(Violation::field)
                .containsExactly("n", "vectors.v", "sparse_vectors.t");
    }

    @Test
    void checksWhatAPatchCarriesThenItsUpsert() {
        Map<String, Optional<float[]>> vectors = new TreeMap<>();
        vectors.put("gone", Optional.empty());
        vectors.put("v", Optional.of(new float[] {1}));
        Patch patch =
                new Patch(
                        KEY,
                        PatchMode.MERGE_DEEP,
                        source("{'n':'not checked before the fold'}"),
                        List.of("a.b", "a..b", ""),
                        vectors,
                        Map.of("t", Optional.of(SPARSE)),
                        document("{'n':'x'}", Map.of(), Map.of()));
        assertThat(DocumentCheck.of(SCHEMA).violations(patch))
                .containsExactly(
                        new Violation("delete_keys", "\"a..b\" has an empty segment"),
                        new Violation("delete_keys", "\"\" has an empty segment"),
                        new Violation("vectors.v", "expected 3 dimensions, got 1"),
                        new Violation("sparse_vectors.t", "unknown sparse vector"),
                        new Violation("n", "cannot index \"x\" as i64"));
    }

    @Test
    void leafPathsAreInByteOrderWhichIsNotThatOfJavaStrings() {
        JsonObject source = source("{'\\ud83d\\ude00':1,'\\uffee':1,'z':1,'zz':1}");
        assertThat(DocumentCheck.of(SCHEMA).unmapped(source))
                .containsExactly("z", "zz", "\uffee", "\ud83d\ude00");
    }

    private static Document document(
            String source, Map<String, float[]> vectors, Map<String, SparseVector> sparse) {
        return new Document(KEY, source(source), vectors, sparse);
    }

    private static JsonObject source(String json) {
        return Json.parseObject(json.replace('\'', '"').getBytes(StandardCharsets.UTF_8));
    }
}
