package io.loam.tantivy;

import io.loam.codec.Ulid;
import io.loam.codec.json.JsonValue.JsonObject;
import io.loam.codec.key.PrimaryKey;
import io.loam.codec.manifest.SplitRef;
import io.loam.codec.record.Document;
import io.loam.codec.schema.CollectionSchema;
import io.loam.codec.schema.CollectionSchema.FieldKind;
import io.loam.store.spi.KnownDocument;
import io.loam.store.spi.SplitBuilder;
import io.loam.store.spi.SplitReader;
import io.loam.store.testing.InMemoryObjectStore;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.roaringbitmap.RoaringBitmap;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.UUID;
import java.util.stream.IntStream;
import java.util.stream.LongStream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** Keys that splits tell are those that their documents were added with. */
class KeyColumnITCase {
    private static final CollectionSchema SCHEMA =
            TestSplits.schema(
                    List.of(
                            TestSplits.field("Number", new FieldKind.I64()),
                            TestSplits.field("tag", new FieldKind.Keyword())),
                    List.of());

    @TempDir private Path work;
    private final InMemoryObjectStore objects = new InMemoryObjectStore();
    private TantivySplitStore splits;
    private long ulids;

    @BeforeEach
    void open() throws IOException {
        splits = new TantivySplitStore(objects, TestSplits.ROOT);
    }

    @AfterEach
    void close() throws IOException {
        splits.close();
    }

    private static Document document(PrimaryKey key) {
        return new Document(key, new JsonObject(Map.of()), Map.of(), Map.of());
    }

    private SplitRef build(List<PrimaryKey> keys, long firstRow) throws IOException {
        Ulid ulid = Ulid.of(1, 2, ++ulids);
        try (SplitBuilder builder = splits.newSplit(ulid, SCHEMA, work)) {
            long row = firstRow;
            for (PrimaryKey key : keys) {
                builder.add(row++, document(key));
            }
            return stored(ulid, builder.finish(), firstRow);
        }
    }

    private SplitRef stored(Ulid ulid, SplitBuilder.Built built, long firstRow) throws IOException {
        objects.putFile(TestSplits.path(ulid), built.file());
        return TestSplits.ref(ulid, built, firstRow, firstRow + built.docCount());
    }

    private void requireKeys(SplitRef ref, List<PrimaryKey> keys) throws IOException {
        RoaringBitmap deleted = RoaringBitmap.bitmapOf(0);
        try (SplitReader split = splits.open(ref, SCHEMA, deleted)) {
            int[] all = IntStream.range(0, keys.size()).toArray();
            List<byte[]> told = split.keysOf(all);
            assertThat(told).as("%s documents", keys.size()).hasSize(keys.size());
            for (int doc : all) {
                assertThat(told.get(doc)).isEqualTo(keys.get(doc).canonical());
            }
            int last = keys.size() - 1;
            assertThat(split.keysOf(new int[] {last, 0}))
                    .containsExactly(keys.get(last).canonical(), keys.get(0).canonical());
            assertThat(split.keysOf(new int[0])).isEmpty();
            assertThatThrownBy(() -> split.keysOf(new int[] {last + 1}))
                    .isInstanceOf(IndexOutOfBoundsException.class);
        }
    }

    /** Kinds of keys, of any length, that share much and little with those before them. */
    private static List<PrimaryKey> keys(Random random, int size) {
        Set<PrimaryKey> keys = new LinkedHashSet<>();
        while (keys.size() < size) {
            keys.add(
                    switch (random.nextInt(4)) {
                        case 0 -> PrimaryKey.ofU64(random.nextLong());
                        case 1 -> PrimaryKey.ofUuid(new UUID(random.nextLong(), 7));
                        case 2 -> PrimaryKey.ofString("x".repeat(500) + random.nextInt());
                        default -> PrimaryKey.ofString(Integer.toString(random.nextInt(), 36));
                    });
        }
        return new ArrayList<>(keys);
    }

    @Test
    void keysOfEveryKindInOrderAndOutOfIt() throws IOException {
        long seed = Long.getLong("loam.seed", 43);
        System.out.println("loam.seed=" + seed);
        Random random = new Random(seed);
        for (int size : new int[] {1, 2, 3, 511, 512, 513, 1_025, 6_000}) {
            List<PrimaryKey> keys = keys(random, size);
            requireKeys(build(keys, TestSplits.FIRST_ROW_ID), keys);
            Collections.sort(keys);
            requireKeys(build(keys, TestSplits.FIRST_ROW_ID), keys);
        }
    }

    @Test
    void keysInRunsAsMergedSplitsHaveThem() throws IOException {
        for (long runs : new long[] {1, 2, 5}) {
            List<PrimaryKey> keys = new ArrayList<>();
            for (long run = 0; run < runs; run++) {
                long first = run;
                LongStream.range(0, 20_000)
                        .mapToObj(i -> PrimaryKey.ofU64(first + i * runs))
                        .forEach(keys::add);
            }
            requireKeys(build(keys, TestSplits.FIRST_ROW_ID), keys);
        }
    }

    @Test
    void keysOfJoinedSplits() throws IOException {
        List<PrimaryKey> keys = keys(new Random(5), 900);
        List<SplitRef> parts = new ArrayList<>();
        for (int from : new int[] {0, 300, 600}) {
            parts.add(build(keys.subList(from, from + 300), TestSplits.FIRST_ROW_ID + from));
        }
        List<KnownDocument> sample =
                List.of(new KnownDocument(700, TestSplits.FIRST_ROW_ID + 700, keys.get(700)));
        Ulid ulid = Ulid.of(1, 2, ++ulids);
        SplitBuilder.Built joined = splits.join(ulid, parts, sample, SCHEMA, work).orElseThrow();
        requireKeys(stored(ulid, joined, TestSplits.FIRST_ROW_ID), keys);
    }

    /** Tantivy then says of each document whether it has one, which is not read here. */
    @Test
    void aSplitWithDocumentsThatAreGoneDoesNotTell() throws IOException {
        Ulid ulid = Ulid.of(1, 2, ++ulids);
        try (SplitBuilder builder = splits.newSplit(ulid, SCHEMA, work)) {
            builder.add(1, document(PrimaryKey.ofU64(1)));
            builder.addPlaceholder(2);
            builder.add(3, document(PrimaryKey.ofU64(3)));
            SplitRef ref = stored(ulid, builder.finish(), 1);
            try (SplitReader split = splits.open(ref, SCHEMA, RoaringBitmap.bitmapOf(1))) {
                assertThat(split.keysOf(new int[] {0})).isNull();
            }
        }
    }

    @Test
    void aClosedSplitTellsNothing() throws IOException {
        SplitRef ref = build(List.of(PrimaryKey.ofU64(1)), TestSplits.FIRST_ROW_ID);
        SplitReader split = splits.open(ref, SCHEMA, null);
        split.close();
        assertThatThrownBy(() -> split.keysOf(new int[] {0})).hasMessage("the split is closed");
    }
}
