package io.loam.tantivy;

import io.loam.codec.manifest.SplitRef;
import io.loam.codec.record.Document;
import io.loam.codec.record.SparseVector;
import io.loam.codec.schema.CollectionSchema;
import io.loam.codec.schema.CollectionSchema.Field;
import io.loam.codec.schema.CollectionSchema.FieldKind;
import io.loam.codec.schema.CollectionSchema.Modifier;
import io.loam.codec.schema.CollectionSchema.SparseField;
import io.loam.codec.schema.DocumentCheck;
import io.loam.store.query.SearchQuery;
import io.loam.store.spi.SplitReader;
import io.loam.store.testing.InMemoryObjectStore;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

import static org.assertj.core.api.Assertions.assertThat;

/** Documents near the limits of a record, which the schema check lets pass, are indexed whole. */
class LargeDocumentsITCase {
    private static final int RECORD_BYTES = 16 << 20;

    @TempDir private Path work;

    private void assertFound(List<Field> fields, Document large, SearchQuery... queries)
            throws IOException {
        CollectionSchema schema =
                TestSplits.schema(fields, List.of(new SparseField("s", Modifier.NONE)));
        assertThat(DocumentCheck.lenient(schema).violations(large)).isEmpty();
        InMemoryObjectStore objects = new InMemoryObjectStore();
        List<Document> documents =
                List.of(TestSplits.document("a", "{}"), large, TestSplits.document("z", "{}"));
        try (TantivySplitStore splits = new TantivySplitStore(objects, TestSplits.ROOT)) {
            SplitRef ref = TestSplits.build(splits, objects, schema, work, documents);
            try (SplitReader split = splits.open(ref, schema, null)) {
                for (SearchQuery query : queries) {
                    assertThat(split.matches(query)).as("%.80s", query).containsExactly(1);
                }
            }
        }
    }

    private static Document value(String json) {
        return TestSplits.document("k", "{\"v\":" + json + "}");
    }

    private static Field field(FieldKind kind) {
        return TestSplits.field("v", kind);
    }

    private static SearchQuery term(Object value) {
        return new SearchQuery.Term("v", null, value);
    }

    @Test
    void millionsOfWords() throws IOException {
        String words = "b ".repeat(RECORD_BYTES / 2 - 100) + "last";
        assertFound(
                List.of(TestSplits.text("v", "standard")),
                value("\"" + words + "\""),
                new SearchQuery.Match("v", null, "last", true),
                new SearchQuery.Phrase("v", null, "b last"));
    }

    @Test
    void capitalsThatAreEscaped() throws IOException {
        String words = "AB ".repeat(RECORD_BYTES / 3 - 100) + "LAST";
        assertFound(
                List.of(TestSplits.text("v", "whitespace")),
                value("\"" + words + "\""),
                new SearchQuery.Match("v", null, "LAST", true));
    }

    @Test
    void wordsInAJsonField() throws IOException {
        String words = "b ".repeat(RECORD_BYTES / 2 - 100) + "last";
        assertFound(
                List.of(field(new FieldKind.Json())),
                value("{\"w\":\"" + words + "\"}"),
                new SearchQuery.Match("v", "w", "last", true));
    }

    @Test
    void theLongestTerm() throws IOException {
        String longest = "x".repeat(65_530);
        assertFound(
                List.of(field(new FieldKind.Keyword())),
                value("\"" + longest + "\""),
                term(longest));
    }

    @Test
    void controlCharactersInKeywords() throws IOException {
        assertFound(
                List.of(field(new FieldKind.Keyword())),
                value("[\"a\\u0000b\",\"\\ue000\",\"\\u0001\",\"\"]"),
                term("a\u0000b"),
                term("\ue000"),
                term("\u0001"),
                term(""));
    }

    @Test
    void moreValuesThanACountOfSixteenBits() throws IOException {
        int n = 200_000;
        StringBuilder values = new StringBuilder("[0");
        for (int i = 1; i < n; i++) {
            values.append(',').append(i);
        }
        assertFound(
                List.of(field(new FieldKind.I64())),
                value(values.append(']').toString()),
                term(0L),
                term(65_536L),
                term(n - 1L));
    }

    @Test
    void millionsOfSparseWeights() throws IOException {
        int n = 3_000_000;
        int[] indices = new int[n];
        float[] weights = new float[n];
        for (int i = 0; i < n; i++) {
            indices[i] = i;
            weights[i] = 1;
        }
        assertFound(
                List.of(),
                TestSplits.document("k", "{}", Map.of("s", new SparseVector(indices, weights))),
                new SearchQuery.Sparse("s", new int[] {n - 1}, new float[] {1}));
    }

    @Test
    void deepObjects() throws IOException {
        String open = "{\"a\":".repeat(125);
        assertFound(
                List.of(field(new FieldKind.Json())),
                value(open + "7" + "}".repeat(125)),
                new SearchQuery.Term("v", "a" + ".a".repeat(124), 7L));
    }
}
