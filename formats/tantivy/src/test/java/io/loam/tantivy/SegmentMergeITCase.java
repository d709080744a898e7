package io.loam.tantivy;

import io.loam.codec.Ulid;
import io.loam.codec.manifest.SplitRef;
import io.loam.codec.record.Document;
import io.loam.codec.record.SparseVector;
import io.loam.codec.schema.CollectionSchema;
import io.loam.codec.schema.CollectionSchema.Field;
import io.loam.codec.schema.CollectionSchema.FieldKind;
import io.loam.codec.schema.CollectionSchema.Modifier;
import io.loam.codec.schema.CollectionSchema.SparseField;
import io.loam.codec.testing.Campaign;
import io.loam.store.LocalFiles;
import io.loam.store.query.SearchQuery;
import io.loam.store.spi.KnownDocument;
import io.loam.store.spi.SplitBuilder;
import io.loam.store.spi.SplitReader;
import io.loam.store.testing.InMemoryObjectStore;
import io.loam.tantivy.DeleteOverlay.Masked;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.roaringbitmap.RoaringBitmap;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.Stream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** Joined segments against an index of the same documents. */
class SegmentMergeITCase {
    private static final int RUNS = Campaign.size(4, 60);
    private static final int QUERIES = 60;
    private static final CollectionSchema SCHEMA =
            TestSplits.schema(
                    List.of(
                            TestSplits.text("title", "standard"),
                            TestSplits.text("body", "english"),
                            new Field(
                                    "counted",
                                    "body",
                                    new FieldKind.Text("simple", false),
                                    true,
                                    false,
                                    false),
                            TestSplits.field("tag", new FieldKind.Keyword()),
                            TestSplits.field("n", new FieldKind.I64()),
                            TestSplits.field("x", new FieldKind.F64()),
                            TestSplits.field("b", new FieldKind.Bool()),
                            TestSplits.field("d", new FieldKind.Date()),
                            new Field("p", "p", new FieldKind.Json(), true, true, false)),
                    List.of(new SparseField("s", Modifier.IDF)));
    private static final CollectionSchema WITHOUT_TEXTS =
            TestSplits.schema(List.of(TestSplits.field("n", new FieldKind.I64())), List.of());

    @TempDir private Path work;
    private final InMemoryObjectStore objects = new InMemoryObjectStore();
    private TantivySplitStore store;
    private long ulids;

    @BeforeEach
    void open() throws IOException {
        store = new TantivySplitStore(objects, TestSplits.ROOT);
    }

    @AfterEach
    void close() throws IOException {
        store.close();
        try (Stream<Path> left = Files.list(work)) {
            assertThat(left).as("working files left behind").isEmpty();
        }
    }

    /** Splits of rows one after the other, and their documents. */
    private record Written(List<SplitRef> splits, List<Document> documents) {
        long rows() {
            return documents.size();
        }

        List<KnownDocument> sample() {
            List<KnownDocument> sample = new ArrayList<>();
            for (int doc = 0; doc < documents.size(); doc += 7) {
                sample.add(known(doc, documents.get(doc)));
            }
            return sample;
        }

        static KnownDocument known(int doc, Document document) {
            return new KnownDocument(doc, TestSplits.FIRST_ROW_ID + doc, document.key());
        }
    }

    private Written write(Random random, CollectionSchema schema, int splits, int longest)
            throws IOException {
        List<SplitRef> written = new ArrayList<>();
        List<Document> all = new ArrayList<>();
        for (int split = 0; split < splits; split++) {
            List<Document> documents = new ArrayList<>();
            int size = 1 + random.nextInt(random.nextInt(4) == 0 ? 5 : 300);
            for (int i = 0; i < size; i++) {
                documents.add(document(random, all.size() + i, longest));
            }
            written.add(index(schema, documents, TestSplits.FIRST_ROW_ID + all.size()));
            all.addAll(documents);
        }
        return new Written(written, all);
    }

    private SplitRef index(CollectionSchema schema, List<Document> documents, long firstRow)
            throws IOException {
        Ulid ulid = Ulid.of(1, 1, ++ulids);
        try (SplitBuilder builder = store.newSplit(ulid, schema, work)) {
            long row = firstRow;
            for (Document document : documents) {
                builder.add(row++, document);
            }
            return stored(ulid, builder.finish(), firstRow);
        }
    }

    private SplitRef stored(Ulid ulid, SplitBuilder.Built built, long firstRow) throws IOException {
        objects.putFile(TestSplits.path(ulid), built.file());
        return TestSplits.ref(ulid, built, firstRow, firstRow + built.docCount());
    }

    private SplitRef join(CollectionSchema schema, List<SplitRef> splits, List<KnownDocument> known)
            throws IOException {
        Ulid ulid = Ulid.of(1, 1, ++ulids);
        SplitBuilder.Built built = store.join(ulid, splits, known, schema, work).orElseThrow();
        SplitRef ref = stored(ulid, built, TestSplits.FIRST_ROW_ID);
        Files.delete(built.file());
        return ref;
    }

    private static String word(Random random) {
        double skewed = random.nextDouble();
        return (random.nextInt(50) == 0 ? "ü" : "w") + (int) (200 * skewed * skewed);
    }

    private static String words(Random random, int count) {
        return String.join(" ", Stream.generate(() -> word(random)).limit(count).toList());
    }

    /** Any field may be missing or have several values. */
    private static Document document(Random random, int number, int longest) {
        List<String> members = new ArrayList<>();
        members.add("\"title\":[\"" + words(random, 3) + "\",\"" + words(random, 2) + "\"]");
        members.add("\"body\":\"" + words(random, random.nextInt(longest)) + "\"");
        members.add("\"tag\":[\"t" + random.nextInt(5) + "\",\"t" + random.nextInt(5) + "\"]");
        members.add("\"n\":" + random.nextInt(100));
        members.add("\"x\":" + random.nextGaussian());
        members.add("\"b\":" + random.nextBoolean());
        members.add("\"d\":" + random.nextInt(1_000_000));
        members.add(
                String.format(
                        "\"p\":{\"a\":[\"%s\",\"%s\"],\"c\":%d,\"z\":null,\"o\":{\"%s\":%b}}",
                        words(random, 2),
                        word(random),
                        random.nextInt(9),
                        word(random),
                        random.nextBoolean()));
        members.removeIf(any -> random.nextInt(6) == 0);
        int[] indices = {random.nextInt(5), 5 + random.nextInt(5)};
        float[] weights = {random.nextFloat(), 1};
        return TestSplits.document(
                "k" + number,
                "{" + String.join(",", members) + "}",
                random.nextInt(3) == 0
                        ? Map.of()
                        : Map.of("s", new SparseVector(indices, weights)));
    }

    private static SearchQuery query(Random random, int kind) {
        List<SearchQuery> none = List.of();
        return switch (kind % 12) {
            case 0 -> new SearchQuery.Match("body", null, words(random, 2), false);
            case 1 -> new SearchQuery.Match("title", null, words(random, 2), true);
            case 2 -> new SearchQuery.Phrase("body", null, words(random, 2));
            case 3 -> new SearchQuery.Match("counted", null, words(random, 3), false);
            case 4 -> new SearchQuery.Term("tag", null, "t" + random.nextInt(5));
            case 5 -> new SearchQuery.Range("n", null, 10L, true, 10L + random.nextInt(80), false);
            case 6 -> new SearchQuery.Match("p", "a", words(random, 2), false);
            case 7 -> new SearchQuery.Phrase("p", "a", words(random, 2));
            case 8 -> new SearchQuery.IsNull("p", "z");
            case 9 -> new SearchQuery.ValuesCount("p", "a", 2L, 3L);
            case 10 ->
                    new SearchQuery.Sparse(
                            "s",
                            new int[] {random.nextInt(5), 5 + random.nextInt(5)},
                            new float[] {1, 3});
            default ->
                    new SearchQuery.Bool(
                            List.of(new SearchQuery.Match("body", null, words(random, 3), false)),
                            List.of(new SearchQuery.Match("title", null, word(random), false)),
                            List.of(new SearchQuery.Exists("x", null)),
                            none);
        };
    }

    @Test
    void joinedSegmentsAnswerAsAnIndexOfAllDocuments() throws IOException {
        long seed = Campaign.seed();
        System.out.println("loam.seed=" + seed);
        long documents = 0;
        long hits = 0;
        for (int run = 0; run < RUNS; run++) {
            Random random = new Random(seed + run);
            Written written = write(random, SCHEMA, 2 + random.nextInt(5), 250);
            documents += written.rows();
            SplitRef joined = join(SCHEMA, written.splits(), written.sample());
            SplitRef indexed = index(SCHEMA, written.documents(), TestSplits.FIRST_ROW_ID);
            try (SplitReader one = store.open(joined, SCHEMA, null);
                    SplitReader other = store.open(indexed, SCHEMA, null)) {
                hits += compare(random, one, other);
                for (KnownDocument known : written.sample()) {
                    assertThat(one.docsOfRowId(known.rowId())).containsExactly(known.doc());
                    assertThat(one.docsOfKey(known.key().canonical())).containsExactly(known.doc());
                }
            }
            requireSameColumns(joined, indexed);
        }
        Campaign.report(
                "joined segments",
                "| splits joined | documents | queries | hits, all with equal scores |\n"
                        + "|---|---|---|---|\n| "
                        + RUNS
                        + " times 2 to 6 | "
                        + documents
                        + " | "
                        + RUNS * QUERIES
                        + " | "
                        + hits
                        + " |\n");
        assertThat(hits).isGreaterThan(RUNS * 1_000L);
    }

    private static long compare(Random random, SplitReader one, SplitReader other)
            throws IOException {
        long hits = 0;
        assertThat(one.docCount()).isEqualTo(other.docCount());
        for (int i = 0; i < QUERIES; i++) {
            SearchQuery query = query(random, i);
            assertThat(one.search(query, one.docCount()))
                    .as(query.toString())
                    .isEqualTo(other.search(query, other.docCount()));
            assertThat(one.matches(query)).as(query.toString()).isEqualTo(other.matches(query));
            hits += one.count(query);
        }
        return hits;
    }

    /** Values of fast fields and lengths of texts stand in the same order, byte for byte. */
    private void requireSameColumns(SplitRef joined, SplitRef indexed) throws IOException {
        LocalSplit one = load(joined);
        LocalSplit other = load(indexed);
        for (String suffix : List.of(".fast", ".fieldnorm")) {
            assertThat(one.directory().resolve(one.meta().segment() + suffix))
                    .hasSameBinaryContentAs(
                            other.directory().resolve(other.meta().segment() + suffix));
        }
        LocalFiles.delete(one.directory());
        LocalFiles.delete(other.directory());
    }

    private LocalSplit load(SplitRef ref) throws IOException {
        return LocalSplit.load(
                objects, TestSplits.path(ref.ulid()), ref, work.resolve(ref.ulid() + ".local"));
    }

    /**
     * Why splits with deleted documents are not joined: Tantivy knows how many words a segment has,
     * estimates what is left of them, and scores by that.
     */
    @Test
    void scoresOfSegmentsWithDeletedDocumentsAreOthers() throws IOException {
        Random random = new Random(41);
        Written written = write(random, SCHEMA, 3, 300);
        List<Masked> segments = new ArrayList<>();
        List<Document> live = new ArrayList<>();
        int number = 0;
        for (SplitRef split : written.splits()) {
            RoaringBitmap deleted = new RoaringBitmap();
            for (int doc = 0; doc < split.docCount(); doc++, number++) {
                if (doc % 10 == 3) {
                    deleted.add(doc);
                } else {
                    live.add(written.documents().get(number));
                }
            }
            segments.add(new Masked(load(split), deleted));
        }
        Path directory = work.resolve("merged");
        IndexMeta meta = SegmentMerge.run(segments, directory);
        SplitRef indexed = index(SCHEMA, live, TestSplits.FIRST_ROW_ID);
        assertThat(meta.docCount()).isEqualTo(live.size());
        SearchQuery title = new SearchQuery.Match("title", null, "w1 w2 w3", false);
        SearchQuery body = new SearchQuery.Match("body", null, "w1 w2 w3", false);
        LocalSplit merged = new LocalSplit(directory, meta, 0, 0, 0);
        try (SplitReader one =
                        new TantivySplitReader(
                                merged, TantivyLayout.of(SCHEMA), null, directory, () -> {});
                SplitReader other = store.open(indexed, SCHEMA, null)) {
            assertThat(one.matches(body)).isEqualTo(other.matches(body));
            // Lengths up to 40 words are exact.
            assertThat(one.search(title, live.size())).isEqualTo(other.search(title, live.size()));
            assertThat(one.search(body, live.size())).isNotEqualTo(other.search(body, live.size()));
        }
        for (Masked segment : segments) {
            LocalFiles.delete(segment.split().directory());
        }
        LocalFiles.delete(directory);
    }

    @Test
    void segmentsInAnotherOrderAreNoSplit() throws IOException {
        Written written = write(new Random(1), SCHEMA, 3, 50);
        List<SplitRef> wrong = new ArrayList<>(written.splits());
        Collections.swap(wrong, 0, 2);
        assertThatThrownBy(() -> join(SCHEMA, wrong, written.sample()))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("must be document 0 of the joined split");
    }

    /** Each comparison alone finds what is wrong. */
    @Test
    void everyDifferenceIsFound() throws IOException {
        Written written = write(new Random(1), SCHEMA, 3, 50);
        List<LocalSplit> inputs = new ArrayList<>();
        List<Masked> segments = new ArrayList<>();
        for (SplitRef split : written.splits()) {
            inputs.add(load(split));
            segments.add(new Masked(inputs.get(inputs.size() - 1), new RoaringBitmap()));
        }
        TantivyLayout layout = TantivyLayout.of(SCHEMA);
        Path directory = work.resolve("merged");
        Collections.reverse(segments);
        IndexMeta reversed = SegmentMerge.run(segments, directory);
        assertDifferent(inputs, layout, directory, reversed, List.of(), "the length of its text 0");
        Collections.reverse(inputs);
        new JoinCheck(inputs, layout).check(directory, reversed, List.of());
        assertDifferent(inputs.subList(1, 3), layout, directory, reversed, List.of(), "its inputs");
        KnownDocument right = Written.known(0, written.documents().get(0));
        int doc = (int) (written.rows() - written.splits().get(0).docCount());
        new JoinCheck(inputs, layout)
                .check(
                        directory,
                        reversed,
                        List.of(new KnownDocument(doc, right.rowId(), right.key())));
        assertDifferent(
                inputs,
                layout,
                directory,
                reversed,
                List.of(new KnownDocument(doc, right.rowId(), written.documents().get(1).key())),
                "must be document " + doc);
        for (LocalSplit input : inputs) {
            LocalFiles.delete(input.directory());
        }
        LocalFiles.delete(directory);
    }

    private static void assertDifferent(
            List<LocalSplit> inputs,
            TantivyLayout layout,
            Path directory,
            IndexMeta meta,
            List<KnownDocument> sample,
            String message) {
        assertThatThrownBy(() -> new JoinCheck(inputs, layout).check(directory, meta, sample))
                .isInstanceOf(IOException.class)
                .hasMessageContaining(message);
    }

    @Test
    void splitsOfOtherFieldsAndDamagedOnesAreRefused() throws IOException {
        Written texts = write(new Random(1), SCHEMA, 1, 20);
        Written numbers = write(new Random(2), WITHOUT_TEXTS, 1, 20);
        List<SplitRef> mixed = List.of(texts.splits().get(0), numbers.splits().get(0));
        assertThatThrownBy(() -> join(SCHEMA, mixed, List.of()))
                .isInstanceOf(IOException.class)
                .rootCause()
                .hasMessageContaining("the split's fields are not those of the first");

        Written damaged = write(new Random(3), SCHEMA, 2, 20);
        String path = TestSplits.path(damaged.splits().get(1).ulid());
        byte[] bytes = objects.get(path);
        bytes[bytes.length / 3] ^= 1;
        objects.delete(path);
        objects.put(path, bytes);
        assertThatThrownBy(() -> join(SCHEMA, damaged.splits(), damaged.sample()))
                .isInstanceOf(IOException.class)
                .rootCause()
                .hasMessageContaining("the crc32 is");
    }
}
