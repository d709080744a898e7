package io.loam.codec.schema;

import io.loam.codec.json.JsonValue;
import io.loam.codec.json.JsonValue.JsonObject;
import io.loam.codec.json.JsonValue.JsonString;
import io.loam.codec.key.PrimaryKey;
import io.loam.codec.record.Document;
import io.loam.codec.record.SparseVector;
import io.loam.codec.schema.CollectionSchema.Dynamic;
import io.loam.codec.schema.CollectionSchema.Field;
import io.loam.codec.schema.CollectionSchema.FieldKind;
import io.loam.codec.schema.CollectionSchema.Modifier;
import io.loam.codec.schema.CollectionSchema.SparseField;

import org.junit.jupiter.api.Test;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;

import static org.assertj.core.api.Assertions.assertThat;

/** Documents that no split can hold are turned away; those near the limit are not. */
class IndexLimitsTest {
    private static final int RECORD_BYTES = 16 << 20;

    private static CollectionSchema schema(FieldKind... kinds) {
        List<Field> fields = new ArrayList<>();
        for (FieldKind kind : kinds) {
            fields.add(new Field("f" + fields.size(), "v", kind, true, false, true));
        }
        List<SparseField> sparse = List.of(new SparseField("s", Modifier.NONE));
        return new CollectionSchema(1, fields, List.of(), sparse, Dynamic.IGNORE, 1000, Map.of());
    }

    private static List<Violation> check(JsonValue value, FieldKind... kinds) {
        JsonObject source = new JsonObject(Map.of("v", value));
        return DocumentCheck.lenient(schema(kinds))
                .violations(new Document(PrimaryKey.ofString("k"), source, Map.of(), Map.of()));
    }

    private static FieldKind text(String analyzer) {
        return new FieldKind.Text(analyzer, true);
    }

    private static JsonString string(String unit, int bytes) {
        return new JsonString(unit.repeat(bytes));
    }

    @Test
    void aTextAsLargeAsARecordIsIndexed() {
        JsonString words = string("b", RECORD_BYTES);
        for (String analyzer : List.of("standard", "english", "simple", "whitespace")) {
            assertThat(check(words, text(analyzer))).as(analyzer).isEmpty();
        }
        assertThat(check(words, text("standard"), text("english"))).isEmpty();
        JsonObject object = new JsonObject(Map.of("w", words));
        assertThat(check(object, new FieldKind.Json())).isEmpty();
    }

    @Test
    void theFieldThatMakesADocumentTooLargeIsNamed() {
        JsonString words = string("b", RECORD_BYTES);
        Violation tooLarge =
                new Violation("f2", "the document takes more than 95000000 bytes in the index");
        assertThat(check(words, text("standard"), text("english"), text("simple")))
                .containsExactly(tooLarge);
        JsonObject object = new JsonObject(Map.of("w", words));
        FieldKind json = new FieldKind.Json();
        assertThat(check(object, json, json, json))
                .extracting(Violation::field)
                .containsExactly("f1");
    }

    @Test
    void aKeywordIsOneTerm() {
        int limit = IndexLimits.MAX_TERM_BYTES;
        Violation tooLong = new Violation("f0", "a term of more than 65530 bytes");
        for (FieldKind kind : List.of(new FieldKind.Keyword(), text("keyword"))) {
            assertThat(check(string("x", limit), kind)).isEmpty();
            assertThat(check(string("x", limit + 1), kind)).containsExactly(tooLong);
            assertThat(check(string("\u00e9", limit / 2), kind)).isEmpty();
            assertThat(check(string("\u00e9", limit / 2 + 1), kind)).containsExactly(tooLong);
        }
        assertThat(check(string("x", limit + 1), text("standard"))).isEmpty();
    }

    @Test
    void aSparseVectorAsLargeAsARecordIsIndexed() {
        int n = RECORD_BYTES / 5;
        SparseVector vector = new SparseVector(new int[n], new float[n]);
        Document document =
                new Document(
                        PrimaryKey.ofString("k"),
                        new JsonObject(Map.of()),
                        Map.of(),
                        Map.of("s", vector));
        assertThat(DocumentCheck.lenient(schema()).violations(document)).isEmpty();
    }
}
