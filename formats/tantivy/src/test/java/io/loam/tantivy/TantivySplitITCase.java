package io.loam.tantivy;

import io.loam.codec.key.PrimaryKey;
import io.loam.codec.manifest.SplitRef;
import io.loam.codec.record.Document;
import io.loam.codec.schema.CollectionSchema;
import io.loam.codec.schema.CollectionSchema.Field;
import io.loam.codec.schema.CollectionSchema.FieldKind;
import io.loam.store.query.InvalidQueryException;
import io.loam.store.query.SearchQuery;
import io.loam.store.spi.SplitBuilder;
import io.loam.store.spi.SplitHit;
import io.loam.store.spi.SplitReader;
import io.loam.store.testing.InMemoryObjectStore;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.roaringbitmap.RoaringBitmap;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** Building, opening, masking and searching splits. */
class TantivySplitITCase {
    private static final CollectionSchema SCHEMA =
            TestSplits.schema(
                    List.of(
                            TestSplits.text("title", "standard"),
                            TestSplits.text("body", "english"),
                            TestSplits.text("ws", "whitespace"),
                            TestSplits.text("whole", "keyword"),
                            new Field(
                                    "counted",
                                    "body",
                                    new FieldKind.Text("simple", false),
                                    true,
                                    false,
                                    false),
                            TestSplits.field("tag", new FieldKind.Keyword()),
                            new Field(
                                    "label", "label", new FieldKind.Keyword(), false, true, false),
                            TestSplits.field("n", new FieldKind.I64()),
                            new Field("fastn", "n", new FieldKind.I64(), false, true, true),
                            TestSplits.field("x", new FieldKind.F64()),
                            TestSplits.field("b", new FieldKind.Bool()),
                            TestSplits.field("d", new FieldKind.Date()),
                            TestSplits.field("id", new FieldKind.Uuid())),
                    List.of());

    @TempDir private Path work;
    private final InMemoryObjectStore objects = new InMemoryObjectStore();
    private TantivySplitStore splits;

    @BeforeEach
    void openStore() throws IOException {
        splits = new TantivySplitStore(objects, TestSplits.ROOT);
    }

    @AfterEach
    void closeStore() throws IOException {
        splits.close();
        try (Stream<Path> left = Files.list(work)) {
            assertThat(left).as("working files left behind").isEmpty();
        }
    }

    private SplitRef build(String... json) throws IOException {
        return TestSplits.build(splits, objects, SCHEMA, work, TestSplits.documents(json));
    }

    private SplitReader open(SplitRef ref, int... deleted) throws IOException {
        return splits.open(ref, SCHEMA, deleted.length == 0 ? null : bitmap(deleted));
    }

    private static RoaringBitmap bitmap(int... docs) {
        return RoaringBitmap.bitmapOf(docs);
    }

    private static SearchQuery match(String field, String text) {
        return new SearchQuery.Match(field, null, text, false);
    }

    private static SearchQuery phrase(String field, String text) {
        return new SearchQuery.Phrase(field, null, text);
    }

    private static SearchQuery term(String field, Object value) {
        return new SearchQuery.Term(field, null, value);
    }

    private static SearchQuery range(String field, Object low, Object high) {
        return new SearchQuery.Range(field, null, low, true, high, true);
    }

    private static SearchQuery bool(
            List<SearchQuery> must,
            List<SearchQuery> should,
            List<SearchQuery> filter,
            List<SearchQuery> mustNot) {
        return new SearchQuery.Bool(must, should, filter, mustNot);
    }

    @Test
    void matchesPhrasesAndTypedValues() throws IOException {
        SplitRef ref =
                build(
                        "{\"title\":\"The quick fox\",\"body\":\"State of the art foxes\","
                                + "\"tag\":[\"a\",\"b\"],\"n\":-3,\"x\":0.5,\"b\":true,"
                                + "\"d\":\"2024-01-02\",\"whole\":\"Big Fox\",\"ws\":\"A-b c\","
                                + "\"id\":\"67E55044-10B1-426F-9247-BB680E5FE0C8\"}",
                        "{\"title\":\"Quick brown quick fox\",\"body\":\"art state\",\"tag\":\"c\","
                                + "\"n\":9007199254740993,\"x\":-1.5,\"b\":false,"
                                + "\"d\":-1,\"label\":\"L\"}",
                        "{\"title\":[\"fox quick\",\"brown\"],\"body\":\"state art\",\"n\":null}");
        try (SplitReader split = open(ref)) {
            assertThat(split.docCount()).isEqualTo(3);
            assertThat(split.matches(new SearchQuery.All())).containsExactly(0, 1, 2);
            assertThat(split.count(new SearchQuery.All())).isEqualTo(3);

            assertThat(split.matches(match("title", "BROWN"))).containsExactly(1, 2);
            assertThat(split.matches(match("title", "brown the"))).containsExactly(0, 1, 2);
            assertThat(split.matches(new SearchQuery.Match("title", null, "the fox", true)))
                    .containsExactly(0);
            assertThat(split.matches(match("title", "..."))).isEmpty();
            assertThat(split.matches(match("body", "fox state"))).containsExactly(0, 1, 2);
            assertThat(split.matches(match("ws", "A-b"))).containsExactly(0);
            assertThat(split.matches(match("ws", "a-b"))).isEmpty();
            assertThat(split.matches(match("whole", "Big Fox"))).containsExactly(0);
            assertThat(split.matches(match("whole", "Fox"))).isEmpty();

            assertThat(split.matches(phrase("title", "quick fox"))).containsExactly(0, 1);
            assertThat(split.matches(phrase("title", "quick brown"))).containsExactly(1);
            assertThat(split.matches(phrase("title", "fox"))).containsExactly(0, 1, 2);
            assertThat(split.matches(phrase("body", "state of the art"))).containsExactly(0);
            assertThat(split.matches(phrase("body", "the state art"))).containsExactly(2);

            assertThat(split.matches(term("tag", "b"))).containsExactly(0);
            assertThat(split.matches(term("tag", "B"))).isEmpty();
            assertThat(split.matches(term("n", 9007199254740993L))).containsExactly(1);
            assertThat(split.matches(term("n", 9007199254740992L))).isEmpty();
            assertThat(split.matches(term("fastn", -3L))).containsExactly(0);
            assertThat(split.matches(term("x", 0.5))).containsExactly(0);
            assertThat(split.matches(term("b", true))).containsExactly(0);
            assertThat(split.matches(term("d", "2024-01-02T00:00:00.000Z"))).containsExactly(0);
            assertThat(split.matches(term("d", -1L))).containsExactly(1);
            assertThat(split.matches(term("id", "{67e55044-10b1-426f-9247-bb680e5fe0c8}")))
                    .containsExactly(0);

            assertThat(split.matches(range("n", null, 0L))).containsExactly(0);
            assertThat(split.matches(range("n", -2.5, null))).containsExactly(1);
            assertThat(split.matches(new SearchQuery.Range("n", null, -3L, false, null, true)))
                    .containsExactly(1);
            assertThat(split.matches(range("n", null, null))).containsExactly(0, 1);
            assertThat(split.matches(range("fastn", -3L, -3L))).containsExactly(0);
            assertThat(split.matches(range("x", -2.0, 0L))).containsExactly(1);
            assertThat(split.matches(range("x", null, 9L))).containsExactly(0, 1);
            assertThat(split.matches(range("d", "1970-01-01", null))).containsExactly(0);
            assertThat(split.matches(range("d", null, "1970-01-01"))).containsExactly(1);

            for (String field : List.of("n", "tag", "x", "b", "d", "ws")) {
                assertThat(split.matches(new SearchQuery.Exists(field, null)))
                        .as(field)
                        .contains(0)
                        .doesNotContain(2);
            }
            assertThat(split.matches(new SearchQuery.Exists("label", null))).containsExactly(1);
            assertThat(split.matches(new SearchQuery.Exists("title", null)))
                    .containsExactly(0, 1, 2);
        }
    }

    @Test
    void combinesParts() throws IOException {
        SplitRef ref =
                build(
                        "{\"title\":\"a b\",\"tag\":\"x\"}",
                        "{\"title\":\"a\",\"tag\":\"y\"}",
                        "{\"title\":\"b\",\"tag\":\"x\"}",
                        "{\"title\":\"c\",\"tag\":\"x\"}");
        SearchQuery a = match("title", "a");
        SearchQuery b = match("title", "b");
        SearchQuery x = term("tag", "x");
        List<SearchQuery> none = List.of();
        try (SplitReader split = open(ref)) {
            assertThat(split.matches(bool(List.of(a, x), none, none, none))).containsExactly(0);
            assertThat(split.matches(bool(none, List.of(a, b), none, none)))
                    .containsExactly(0, 1, 2);
            assertThat(split.matches(bool(none, List.of(b), List.of(x), none)))
                    .containsExactly(0, 2, 3);
            assertThat(split.matches(bool(none, none, none, List.of(a)))).containsExactly(2, 3);
            assertThat(split.matches(bool(none, none, none, none))).containsExactly(0, 1, 2, 3);
            assertThat(split.matches(bool(none, List.of(a, b), none, List.of(x))))
                    .containsExactly(1);

            assertThat(split.search(x, 10)).extracting(SplitHit::score).containsOnly(1f);
            assertThat(split.search(bool(none, none, List.of(x), none), 2))
                    .containsExactly(new SplitHit(0, 1), new SplitHit(2, 1));
            float alone = split.search(bool(List.of(a), none, none, none), 1).get(0).score();
            assertThat(split.search(bool(List.of(a), none, List.of(x), none), 1))
                    .containsExactly(new SplitHit(0, split.search(a, 9).get(1).score()));
            assertThat(alone).isGreaterThan(0);
            assertThat(split.search(a, 0)).isEmpty();
        }
    }

    @Test
    void deletedDocumentsAreNotFoundButLookedUp() throws IOException {
        List<Document> documents = new ArrayList<>();
        for (int i = 0; i < 200; i++) {
            documents.add(TestSplits.document("key " + i, "{\"title\":\"word w" + i + "\"}"));
        }
        SplitRef ref = TestSplits.build(splits, objects, SCHEMA, work, documents);
        byte[] key7 = PrimaryKey.ofString("key 7").canonical();

        try (SplitReader masked = open(ref, 0, 7, 63, 64, 199);
                SplitReader whole = open(ref)) {
            assertThat(masked.docCount()).isEqualTo(200);
            assertThat(masked.count(match("title", "word"))).isEqualTo(195);
            assertThat(masked.matches(match("title", "w7 w8 w64 w199"))).containsExactly(8);
            assertThat(masked.search(match("title", "word"), 300))
                    .hasSize(195)
                    .extracting(SplitHit::doc)
                    .doesNotContain(0, 7, 63, 64, 199);
            assertThat(masked.docsOfKey(key7)).containsExactly(7);
            assertThat(masked.docsOfRowId(TestSplits.FIRST_ROW_ID + 199)).containsExactly(199);
            assertThat(masked.docsOfRowId(TestSplits.FIRST_ROW_ID + 200)).isEmpty();
            assertThat(whole.count(match("title", "word"))).isEqualTo(200);
            assertThat(whole.docsOfKey(key7)).containsExactly(7);
            assertThat(whole.docsOfKey(PrimaryKey.ofU64(7).canonical())).isEmpty();
        }
        RoaringBitmap all = new RoaringBitmap();
        all.add(0L, 200L);
        try (SplitReader masked = splits.open(ref, SCHEMA, all)) {
            assertThat(masked.search(new SearchQuery.All(), 10)).isEmpty();
            assertThat(masked.docsOfKey(key7)).containsExactly(7);
        }
    }

    @Test
    void longTokensAndManyValuesAreFound() throws IOException {
        String word = "w".repeat(255);
        StringBuilder tags = new StringBuilder("\"t0\"");
        for (int i = 1; i < 70_000; i++) {
            tags.append(",\"t").append(i).append('"');
        }
        SplitRef ref =
                build(
                        "{\"title\":\"" + word + "x tail\",\"ws\":\"" + word.repeat(3) + "\"}",
                        "{\"tag\":[" + tags + "]}");
        try (SplitReader split = open(ref)) {
            assertThat(split.matches(phrase("title", word + "x tail"))).containsExactly(0);
            assertThat(split.matches(match("title", word))).containsExactly(0);
            assertThat(split.matches(match("title", word.substring(1)))).isEmpty();
            assertThat(split.matches(match("ws", word.repeat(3)))).containsExactly(0);
            assertThat(split.matches(term("tag", "t69999"))).containsExactly(1);
        }
    }

    @Test
    void documentsOfManyWordsOrLongPathsAreIndexed() throws IOException {
        String capitals = "A ".repeat(1 << 18);
        CollectionSchema json =
                TestSplits.schema(
                        List.of(
                                new Field("all", "", new FieldKind.Json(), true, true, false),
                                TestSplits.text("ws", "whitespace")),
                        List.of());
        StringBuilder leaves = new StringBuilder("{\"k0\":0");
        for (int i = 1; i < 100_000; i++) {
            leaves.append(",\"k").append(i).append("\":").append(i);
        }
        String longKey = "x".repeat(10_000);
        List<Document> documents =
                TestSplits.documents(
                        "{\"first\":1,\"" + longKey + "\":" + leaves + "}}", "{\"after\":2}");
        SplitRef capitalsRef = build("{\"ws\":\"" + capitals + "Z\"}");
        SplitRef ref = TestSplits.build(splits, objects, json, work, documents);
        try (SplitReader split = splits.open(ref, json, null);
                SplitReader words = open(capitalsRef)) {
            assertThat(split.matches(new SearchQuery.Term("all", "first", 1L))).containsExactly(0);
            assertThat(split.matches(new SearchQuery.Term("all", "after", 2L))).containsExactly(1);
            assertThat(split.matches(new SearchQuery.Term("all", longKey + ".k7", 7L)))
                    .containsExactly(0);
            assertThat(split.matches(new SearchQuery.Term("all", longKey + ".k9999", 9999L)))
                    .isEmpty();
            assertThat(words.matches(phrase("ws", "A Z"))).containsExactly(0);
        }
    }

    @Test
    void refusesQueriesAFieldCannotAnswer() throws IOException {
        SplitRef ref = build("{\"title\":\"a\"}");
        try (SplitReader split = open(ref)) {
            assertInvalid(split, phrase("counted", "a b"), "field counted keeps no positions");
            assertInvalid(split, term("label", "L"), "field label is not indexed");
            assertInvalid(split, term("n", "seven"), "cannot index \"seven\" as i64");
            assertInvalid(split, range("tag", "a", "b"), "field tag has no ranges");
            assertInvalid(split, new SearchQuery.IsNull("n", "p"), "field n is not a Json field");
            assertInvalid(
                    split,
                    new SearchQuery.Sparse("s", new int[] {1}, new float[] {1}),
                    "there is no sparse vector s");
            assertThat(split.matches(match("unknown", "a"))).isEmpty();
        }
    }

    private static void assertInvalid(SplitReader split, SearchQuery query, String message) {
        assertThatThrownBy(() -> split.search(query, 1))
                .isInstanceOf(InvalidQueryException.class)
                .hasMessageContaining(message);
    }

    @Test
    void refusesDocumentsOutOfOrderAndMalformed() throws IOException {
        try (SplitBuilder builder = splits.newSplit(io.loam.codec.Ulid.of(1, 2, 3), SCHEMA, work)) {
            builder.add(5, TestSplits.document("a", "{}"));
            assertThatThrownBy(() -> builder.add(5, TestSplits.document("b", "{}")))
                    .hasMessage("row ids of a split ascend, 5 follows 5");
            assertThatThrownBy(() -> builder.add(6, TestSplits.document("c", "{\"n\":\"z\"}")))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("document c, field n: cannot index \"z\" as i64");
        }
        try (SplitBuilder builder = splits.newSplit(io.loam.codec.Ulid.of(1, 2, 3), SCHEMA, work)) {
            assertThatThrownBy(builder::finish)
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessage("a split holds at least one document");
        }
    }

    @Test
    void closedSplitsAnswerNoMore() throws IOException {
        SplitRef ref = build("{\"title\":\"a\"}");
        SplitReader split = open(ref, 0);
        split.close();
        split.close();
        assertThatThrownBy(() -> split.count(new SearchQuery.All()))
                .isInstanceOf(IOException.class)
                .hasMessage("the split is closed");
    }
}
