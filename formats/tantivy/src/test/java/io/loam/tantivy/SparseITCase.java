package io.loam.tantivy;

import io.loam.codec.CorruptException;
import io.loam.codec.json.JsonValue;
import io.loam.codec.json.JsonValue.JsonArray;
import io.loam.codec.json.JsonValue.JsonDouble;
import io.loam.codec.json.JsonValue.JsonInteger;
import io.loam.codec.json.JsonValue.JsonNull;
import io.loam.codec.json.JsonValue.JsonObject;
import io.loam.codec.manifest.SplitRef;
import io.loam.codec.record.Document;
import io.loam.codec.record.SparseVector;
import io.loam.codec.record.SparseWeights;
import io.loam.codec.schema.CollectionSchema;
import io.loam.codec.schema.CollectionSchema.FieldKind;
import io.loam.codec.schema.CollectionSchema.Modifier;
import io.loam.codec.schema.CollectionSchema.SparseField;
import io.loam.codec.testing.Campaign;
import io.loam.store.query.InvalidQueryException;
import io.loam.store.query.SearchQuery;
import io.loam.store.spi.SplitHit;
import io.loam.store.spi.SplitReader;
import io.loam.store.testing.InMemoryObjectStore;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.roaringbitmap.RoaringBitmap;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeSet;
import java.util.stream.Stream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** Sparse vectors inside splits, and how they score. */
class SparseITCase {
    private static final JsonObject GOLDEN = Golden.read("sparse.json");

    @TempDir private Path work;

    static Stream<JsonObject> weights() {
        return Golden.array(GOLDEN, "weights").stream().map(JsonObject.class::cast);
    }

    static Stream<JsonObject> corrupt() {
        return Golden.array(GOLDEN, "weights_corrupt").stream().map(JsonObject.class::cast);
    }

    @ParameterizedTest
    @MethodSource("weights")
    void weightsAreTheGoldenBytes(JsonObject golden) {
        SparseVector vector = vector(golden);
        byte[] bytes = HexFormat.of().parseHex(Golden.string(golden, "hex"));

        assertThat(SparseWeights.encode(vector)).isEqualTo(bytes);
        assertThat(SparseWeights.decode(bytes)).isEqualTo(vector);
    }

    @ParameterizedTest
    @MethodSource("corrupt")
    void damagedWeightsAreCorrupt(JsonObject golden) {
        byte[] bytes = HexFormat.of().parseHex(Golden.string(golden, "hex"));
        assertThatThrownBy(() -> SparseWeights.decode(bytes))
                .as(Golden.string(golden, "why"))
                .isInstanceOf(CorruptException.class);
    }

    @Test
    void thePresenceTermIsTheGoldenOne() {
        assertThat(Long.toUnsignedString(SparseTerms.PRESENT))
                .isEqualTo(Golden.string(GOLDEN, "presence_term"));
        assertThat(SparseTerms.of(new SparseVector(new int[] {-1, 3}, new float[2])))
                .containsExactly(4294967295L, 3L, SparseTerms.PRESENT);
    }

    private static SparseVector vector(JsonObject golden) {
        List<JsonValue> indices = Golden.array(golden, "indices");
        List<JsonValue> values = Golden.array(golden, "values");
        int[] index = new int[indices.size()];
        float[] weight = new float[indices.size()];
        for (int i = 0; i < index.length; i++) {
            index[i] = (int) ((JsonInteger) indices.get(i)).value();
            weight[i] =
                    values.get(i) instanceof JsonDouble number
                            ? (float) number.value()
                            : ((JsonInteger) values.get(i)).value();
        }
        return new SparseVector(index, weight);
    }

    private static CollectionSchema schema() {
        return TestSplits.schema(
                List.of(
                        TestSplits.field("tag", new FieldKind.Keyword()),
                        TestSplits.text("title", "standard")),
                List.of(new SparseField("s", Modifier.NONE), new SparseField("idf", Modifier.IDF)));
    }

    private static Document document(int i, SparseVector vector) {
        String json = "{\"tag\":\"t" + i % 2 + "\"}";
        return TestSplits.document(
                "k" + i, json, vector == null ? Map.of() : Map.of("s", vector, "idf", vector));
    }

    @Test
    void theGoldenPostingsAreFound() throws IOException {
        JsonObject golden = (JsonObject) GOLDEN.members().get("postings_example");
        List<Document> documents = new ArrayList<>();
        for (JsonValue doc : Golden.array(golden, "docs")) {
            SparseVector vector = doc instanceof JsonNull ? null : vector((JsonObject) doc);
            documents.add(document(documents.size(), vector));
        }
        InMemoryObjectStore objects = new InMemoryObjectStore();
        try (TantivySplitStore splits = new TantivySplitStore(objects, TestSplits.ROOT)) {
            SplitRef ref = TestSplits.build(splits, objects, schema(), work, documents);
            try (SplitReader split = splits.open(ref, schema(), null)) {
                for (Map.Entry<String, JsonValue> part : golden.members().entrySet()) {
                    checkPostings(split, part.getKey(), part.getValue());
                }
            }
        }
    }

    private static void checkPostings(SplitReader split, String part, JsonValue expected)
            throws IOException {
        if (part.startsWith("term_")) {
            int index = Integer.parseInt(part.substring("term_".length()));
            SearchQuery query = new SearchQuery.Sparse("s", new int[] {index}, new float[] {1});
            assertThat(split.matches(query)).as(part).isEqualTo(ints(expected));
        } else if (part.equals("presence")) {
            SearchQuery any =
                    new SearchQuery.Sparse("s", new int[] {1, 5, 2}, new float[] {1, 1, 1});
            assertThat(split.matches(any)).isEqualTo(ints(expected));
        } else {
            assertThat(part).isIn("docs", "provenance");
        }
    }

    private static int[] ints(JsonValue array) {
        return Golden.ints((JsonArray) array).stream().mapToInt(Integer::intValue).toArray();
    }

    @Test
    void scoresAsASimpleLoopDoes() throws IOException {
        long seed = Campaign.seed();
        System.out.println("loam.seed=" + seed);
        Random random = new Random(seed);
        List<SparseVector> vectors = new ArrayList<>();
        List<Document> documents = new ArrayList<>();
        for (int i = 0; i < 500; i++) {
            vectors.add(random.nextInt(5) == 0 ? null : randomVector(random, 12));
            documents.add(document(i, vectors.get(i)));
        }
        RoaringBitmap deleted = RoaringBitmap.bitmapOf(3, 64, 100, 499);
        InMemoryObjectStore objects = new InMemoryObjectStore();
        try (TantivySplitStore splits = new TantivySplitStore(objects, TestSplits.ROOT)) {
            SplitRef ref = TestSplits.build(splits, objects, schema(), work, documents);
            try (SplitReader split = splits.open(ref, schema(), deleted)) {
                for (int run = 0; run < 20; run++) {
                    SparseVector query = randomVector(random, 6);
                    for (boolean idf : new boolean[] {false, true}) {
                        List<SplitHit> expected = expected(vectors, query, deleted, idf, 1);
                        SearchQuery sparse = sparse(idf ? "idf" : "s", query);
                        assertThat(split.search(sparse, 1000)).isEqualTo(expected);
                        assertThat(split.search(sparse, 3))
                                .isEqualTo(expected.subList(0, Math.min(3, expected.size())));
                        SearchQuery filtered =
                                new SearchQuery.Bool(
                                        List.of(sparse),
                                        List.of(),
                                        List.of(new SearchQuery.Term("tag", null, "t0")),
                                        List.of());
                        assertThat(split.search(filtered, 1000))
                                .isEqualTo(expected(vectors, query, deleted, idf, 2));
                    }
                }
                SearchQuery mixed =
                        new SearchQuery.Bool(
                                List.of(
                                        sparse(
                                                "s",
                                                vectors.get(0) == null
                                                        ? randomVector(random, 2)
                                                        : vectors.get(0)),
                                        new SearchQuery.Match("title", null, "a", false)),
                                List.of(),
                                List.of(),
                                List.of());
                assertThatThrownBy(() -> split.search(mixed, 1))
                        .isInstanceOf(InvalidQueryException.class)
                        .hasMessageContaining("scores alone or with filters");
            }
        }
    }

    private static SearchQuery sparse(String name, SparseVector query) {
        return new SearchQuery.Sparse(name, query.indices(), query.values());
    }

    private static List<SplitHit> expected(
            List<SparseVector> vectors,
            SparseVector query,
            RoaringBitmap deleted,
            boolean idf,
            int step) {
        List<SplitHit> hits = new ArrayList<>();
        for (int doc = 0; doc < vectors.size(); doc += step) {
            SparseVector vector = vectors.get(doc);
            if (vector == null || deleted.contains(doc)) {
                continue;
            }
            float score = 0;
            boolean shared = false;
            for (int q = 0; q < query.indices().length; q++) {
                int at = java.util.Arrays.binarySearch(vector.indices(), query.indices()[q]);
                if (at >= 0) {
                    shared = true;
                    float weight = query.values()[q];
                    if (idf) {
                        weight *= idf(vectors, deleted, query.indices()[q]);
                    }
                    score += weight * vector.values()[at];
                }
            }
            if (shared) {
                hits.add(new SplitHit(doc, score));
            }
        }
        hits.sort(
                Comparator.comparing(SplitHit::score, Comparator.reverseOrder())
                        .thenComparing(SplitHit::doc));
        return hits;
    }

    private static float idf(List<SparseVector> vectors, RoaringBitmap deleted, int index) {
        int live = vectors.size() - deleted.getCardinality();
        int df = 0;
        for (int doc = 0; doc < vectors.size(); doc++) {
            SparseVector vector = vectors.get(doc);
            if (vector != null
                    && !deleted.contains(doc)
                    && java.util.Arrays.binarySearch(vector.indices(), index) >= 0) {
                df++;
            }
        }
        return (float) Math.log(1 + (live - df + 0.5) / (df + 0.5));
    }

    private static SparseVector randomVector(Random random, int size) {
        TreeSet<Integer> indices = new TreeSet<>();
        while (indices.size() < size) {
            indices.add(random.nextInt(40));
        }
        float[] weights = new float[size];
        for (int i = 0; i < size; i++) {
            weights[i] = random.nextInt(9) - 2;
        }
        return new SparseVector(indices.stream().mapToInt(Integer::intValue).toArray(), weights);
    }
}
