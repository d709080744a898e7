package io.loam.tantivy;

import io.loam.codec.manifest.SplitRef;
import io.loam.codec.record.Document;
import io.loam.codec.schema.CollectionSchema;
import io.loam.codec.schema.CollectionSchema.FieldKind;
import io.loam.codec.testing.Campaign;
import io.loam.store.query.SearchQuery;
import io.loam.store.spi.SplitHit;
import io.loam.store.spi.SplitReader;
import io.loam.store.testing.InMemoryObjectStore;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.roaringbitmap.RoaringBitmap;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

/**
 * BM25 against a loop over all documents: k1 1.2, b 0.75, field lengths rounded as Tantivy does.
 */
class RankingITCase {
    private static final int DOCUMENTS = 400;
    private static final CollectionSchema SCHEMA =
            TestSplits.schema(
                    List.of(
                            TestSplits.text("title", "standard"),
                            TestSplits.field("tag", new FieldKind.Keyword())),
                    List.of());

    @TempDir private Path work;

    private final List<List<String>> corpus = new ArrayList<>();
    private RoaringBitmap deleted;
    private SplitReader split;

    @Test
    void scoresAsASimpleLoopDoes() throws IOException {
        long seed = Campaign.seed();
        System.out.println("loam.seed=" + seed);
        Random random = new Random(seed);
        List<Document> documents = new ArrayList<>();
        for (int doc = 0; doc < DOCUMENTS; doc++) {
            corpus.add(words(random));
            String title = String.join(" ", corpus.get(doc));
            String json = "{\"title\":\"" + title + "\",\"tag\":\"t" + doc % 3 + "\"}";
            documents.add(TestSplits.document("k" + doc, json));
        }
        deleted = new RoaringBitmap();
        for (int i = 0; i < 40; i++) {
            deleted.add(random.nextInt(DOCUMENTS));
        }
        InMemoryObjectStore objects = new InMemoryObjectStore();
        try (TantivySplitStore splits = new TantivySplitStore(objects, TestSplits.ROOT)) {
            SplitRef ref = TestSplits.build(splits, objects, SCHEMA, work, documents);
            split = splits.open(ref, SCHEMA, deleted);
            try (SplitReader open = split) {
                for (int run = 0; run < 50; run++) {
                    checkMatch(word(random) + " " + word(random), random.nextBoolean());
                }
            }
        }
    }

    /** Up to some hundred words, so that lengths are rounded. */
    private static List<String> words(Random random) {
        List<String> words = new ArrayList<>();
        int length = random.nextInt(10) == 0 ? random.nextInt(300) : random.nextInt(12);
        for (int i = 0; i <= length; i++) {
            words.add(word(random));
        }
        return words;
    }

    private static String word(Random random) {
        double skewed = random.nextDouble();
        return "w" + (int) (60 * skewed * skewed);
    }

    private void checkMatch(String text, boolean all) throws IOException {
        String[] terms = text.split(" ");
        SearchQuery match = new SearchQuery.Match("title", null, text, all);
        List<SplitHit> hits = split.search(match, DOCUMENTS);

        List<Integer> expected = new ArrayList<>();
        for (int doc = 0; doc < DOCUMENTS; doc++) {
            boolean first = corpus.get(doc).contains(terms[0]);
            boolean second = corpus.get(doc).contains(terms[1]);
            if (!deleted.contains(doc) && (all ? first && second : first || second)) {
                expected.add(doc);
            }
        }
        assertThat(hits).extracting(SplitHit::doc).containsExactlyInAnyOrderElementsOf(expected);
        for (SplitHit hit : hits) {
            double score = bm25(terms[0], hit.doc()) + bm25(terms[1], hit.doc());
            assertThat((double) hit.score())
                    .as("%s in %s", text, hit)
                    .isCloseTo(score, within(1e-4));
        }
        assertOrdered(hits);
        assertThat(split.search(match, 5)).isEqualTo(hits.subList(0, Math.min(5, hits.size())));
    }

    private static void assertOrdered(List<SplitHit> hits) {
        for (int i = 1; i < hits.size(); i++) {
            SplitHit before = hits.get(i - 1);
            SplitHit after = hits.get(i);
            assertThat(before.score()).isGreaterThanOrEqualTo(after.score());
            if (before.score() == after.score()) {
                assertThat(before.doc()).isLessThan(after.doc());
            }
        }
    }

    /** Statistics count deleted documents, too: they are the split's own. */
    private double bm25(String term, int doc) {
        long frequency = corpus.get(doc).stream().filter(term::equals).count();
        if (frequency == 0) {
            return 0;
        }
        long df = corpus.stream().filter(words -> words.contains(term)).count();
        double idf = Math.log(1 + (DOCUMENTS - df + 0.5) / (df + 0.5));
        double average = corpus.stream().mapToInt(List::size).sum() / (double) DOCUMENTS;
        double norm = 1.2 * (1 - 0.75 + 0.75 * rounded(corpus.get(doc).size()) / average);
        return idf * 2.2 * frequency / (frequency + norm);
    }

    /** The largest length a byte of field norm can hold that is not above the length. */
    private static int rounded(int length) {
        int best = 0;
        for (int code = 0; code < 256; code++) {
            long value = decode(code);
            if (value <= length) {
                best = (int) value;
            }
        }
        return best;
    }

    /** Exact to 39, then four significant bits. */
    private static long decode(int code) {
        if (code < 24) {
            return code;
        }
        int rest = code - 24;
        int exponent = (rest >>> 3) - 1;
        long mantissa = rest & 7;
        return 24 + (exponent < 0 ? mantissa : (mantissa | 8) << exponent);
    }

    @Test
    void fieldLengthsRoundAsInLucene() {
        assertThat(rounded(39)).isEqualTo(39);
        assertThat(rounded(41)).isEqualTo(40);
        assertThat(rounded(42)).isEqualTo(42);
    }

    @Test
    void orderOfOptionalPartsFollowsScore() throws IOException {
        InMemoryObjectStore objects = new InMemoryObjectStore();
        List<Document> documents =
                TestSplits.documents(
                        "{\"title\":\"rare common\",\"tag\":\"x\"}",
                        "{\"title\":\"common\"}",
                        "{\"title\":\"common common\"}",
                        "{\"title\":\"other\"}");
        try (TantivySplitStore splits = new TantivySplitStore(objects, TestSplits.ROOT)) {
            SplitRef ref = TestSplits.build(splits, objects, SCHEMA, work, documents);
            try (SplitReader open = splits.open(ref, SCHEMA, null)) {
                SearchQuery both = new SearchQuery.Match("title", null, "rare common", false);
                assertThat(open.search(both, 9)).extracting(SplitHit::doc).startsWith(0);
                assertThat(open.search(both, 9)).extracting(SplitHit::doc).doesNotContain(3);
            }
        }
    }
}
