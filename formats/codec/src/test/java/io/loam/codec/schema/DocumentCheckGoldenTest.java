package io.loam.codec.schema;

import io.loam.codec.json.JsonValue.JsonObject;
import io.loam.codec.key.PrimaryKey;
import io.loam.codec.manifest.Golden;
import io.loam.codec.record.Document;
import io.loam.codec.record.GoldenDocuments;
import io.loam.codec.record.SparseVector;
import io.loam.codec.schema.CollectionSchema.Dynamic;
import io.loam.codec.schema.CollectionSchema.Field;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

import static org.assertj.core.api.Assertions.assertThat;

class DocumentCheckGoldenTest {
    private static final Set<String> MEMBERS =
            Set.of(
                    "schema",
                    "source",
                    "vectors",
                    "sparse_vectors",
                    "unmapped",
                    "violations",
                    "dynamic_mapping_required",
                    "extracted",
                    "note");

    static List<Golden> cases() {
        return Golden.file("values.json").get("check_document").list();
    }

    @ParameterizedTest
    @MethodSource("cases")
    void checks(Golden golden) {
        assertThat(MEMBERS).containsAll(golden.members().keySet());
        CollectionSchema schema = GoldenSchemas.parse(golden.get("schema").text());
        DocumentCheck check = DocumentCheck.of(schema);
        Document document = document(golden);
        List<Violation> violations = check.violations(document);
        if (golden.has("violations")) {
            assertThat(violations).isEqualTo(violations(golden.get("violations")));
        } else {
            assertThat(violations).hasSameSizeAs(texts(golden, "unmapped"));
        }
        assertThat(check.firstViolation(document)).isEqualTo(violations.stream().findFirst());
        if (golden.has("unmapped")) {
            assertThat(check.unmapped(document.source())).isEqualTo(texts(golden, "unmapped"));
        }
        List<String> required = DynamicMapping.required(schema, document.source());
        assertThat(violations.isEmpty() ? required : List.of())
                .isEqualTo(texts(golden, "dynamic_mapping_required"));
        if (golden.has("extracted")) {
            golden.get("extracted")
                    .members()
                    .forEach(
                            (name, values) ->
                                    assertThat(values(schema, name, document.source()))
                                            .isEqualTo(longs(values)));
        }
    }

    @ParameterizedTest
    @MethodSource("cases")
    void findsNothingUnmappedWhenApplied(Golden golden) {
        CollectionSchema schema = GoldenSchemas.parse(golden.get("schema").text());
        Document document = document(golden);
        List<Violation> expected =
                schema.dynamic() == Dynamic.STRICT
                        ? List.of()
                        : DocumentCheck.of(schema).violations(document);
        assertThat(DocumentCheck.lenient(schema).violations(document)).isEqualTo(expected);
    }

    private static Document document(Golden golden) {
        Map<String, float[]> vectors = new LinkedHashMap<>();
        if (golden.has("vectors")) {
            golden.get("vectors")
                    .members()
                    .forEach((name, v) -> vectors.put(name, GoldenDocuments.floats(v)));
        }
        Map<String, SparseVector> sparse = new LinkedHashMap<>();
        for (String name : texts(golden, "sparse_vectors")) {
            sparse.put(name, new SparseVector(new int[] {1}, new float[] {1}));
        }
        JsonObject source =
                golden.has("source") ? (JsonObject) golden.get("source").value() : JsonObject.EMPTY;
        return new Document(PrimaryKey.ofString("k"), source, vectors, sparse);
    }

    private static List<Violation> violations(Golden expected) {
        return expected.list().stream()
                .map(Golden::list)
                .map(pair -> new Violation(pair.get(0).text(), pair.get(1).text()))
                .toList();
    }

    private static List<Object> values(CollectionSchema schema, String name, JsonObject source) {
        Field field = schema.fields().stream().filter(f -> f.name().equals(name)).findFirst().get();
        List<Object> values = new ArrayList<>();
        Extraction.extract(source, field.sourcePath())
                .forEach(
                        value -> {
                            if (Coercion.coerce(field.kind(), value) instanceof Coerced.Value v) {
                                values.add(v.value());
                            }
                        });
        return values;
    }

    private static List<Object> longs(Golden list) {
        return list.list().stream().map(Golden::u64).map(Object.class::cast).toList();
    }

    private static List<String> texts(Golden golden, String member) {
        return golden.has(member)
                ? golden.get(member).list().stream().map(Golden::text).toList()
                : List.of();
    }
}
