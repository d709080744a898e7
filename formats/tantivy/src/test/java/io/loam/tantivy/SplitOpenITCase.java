package io.loam.tantivy;

import io.loam.codec.CorruptException;
import io.loam.codec.key.PrimaryKey;
import io.loam.codec.manifest.SplitRef;
import io.loam.codec.schema.CollectionSchema;
import io.loam.codec.schema.CollectionSchema.Field;
import io.loam.codec.schema.CollectionSchema.FieldKind;
import io.loam.codec.schema.CollectionSchema.Modifier;
import io.loam.codec.schema.CollectionSchema.SparseField;
import io.loam.codec.split.Hotcache;
import io.loam.codec.split.SplitFooter;
import io.loam.codec.testing.Campaign;
import io.loam.store.object.LocalObjectStore;
import io.loam.store.object.ObjectNotFoundException;
import io.loam.store.object.ObjectStore;
import io.loam.store.query.SearchQuery;
import io.loam.store.spi.SplitReader;
import io.loam.store.spi.SplitStoreProvider;
import io.loam.store.testing.InMemoryObjectStore;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.roaringbitmap.RoaringBitmap;

import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.ServiceLoader;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.Stream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** What opening a split reads, keeps, checks and refuses. */
class SplitOpenITCase {
    private static final Field TITLE = TestSplits.text("title", "standard");
    private static final Field TAG = TestSplits.field("tag", new FieldKind.Keyword());
    private static final Field JSON = TestSplits.field("payload", new FieldKind.Json());
    private static final List<SparseField> SPARSE = List.of(new SparseField("s", Modifier.NONE));
    private static final CollectionSchema SCHEMA = TestSplits.schema(List.of(TITLE, TAG), SPARSE);
    private static final SearchQuery WORD = new SearchQuery.Match("title", null, "word", true);

    @TempDir private Path work;
    private final InMemoryObjectStore objects = new InMemoryObjectStore();

    private SplitRef build(TantivySplitStore splits) throws IOException {
        return TestSplits.build(
                splits,
                objects,
                SCHEMA,
                work,
                TestSplits.documents(
                        "{\"title\":\"a word\",\"tag\":\"x\"}",
                        "{\"title\":\"another word\"}",
                        "{\"title\":\"nothing\"}"));
    }

    private TantivySplitStore store() throws IOException {
        return new TantivySplitStore(objects, TestSplits.ROOT);
    }

    @Test
    void isFoundAsAService() throws IOException {
        List<SplitStoreProvider> providers = new ArrayList<>();
        ServiceLoader.load(SplitStoreProvider.class).forEach(providers::add);
        assertThat(providers).hasOnlyElementsOfType(TantivySplitStoreProvider.class).hasSize(1);
        providers.get(0).open(objects, TestSplits.ROOT).close();
    }

    @Test
    void opensWithOneReadOfTheFooterAndOneOfTheObject() throws IOException {
        List<String> calls = new ArrayList<>();
        SplitRef ref;
        try (TantivySplitStore splits = store()) {
            ref = build(splits);
        }
        String path = TestSplits.path(ref.ulid());
        try (TantivySplitStore splits = new TantivySplitStore(recording(calls), TestSplits.ROOT)) {
            for (int i = 0; i < 3; i++) {
                try (SplitReader split = splits.open(ref, SCHEMA, RoaringBitmap.bitmapOf(i))) {
                    assertThat(split.count(new SearchQuery.All())).isEqualTo(2);
                }
            }
        }
        assertThat(calls).containsExactly("localFile " + path, "download " + path);
    }

    @Test
    void aLocalObjectIsReadWhereItIs() throws IOException {
        Path root = work.resolve("local");
        try (ObjectStore local = LocalObjectStore.open(root);
                TantivySplitStore splits = new TantivySplitStore(local, TestSplits.ROOT, 0)) {
            SplitRef ref =
                    TestSplits.build(
                            splits,
                            local,
                            SCHEMA,
                            work,
                            TestSplits.documents("{\"title\":\"a word\"}", "{\"title\":\"no\"}"));
            Path file = root.resolve(TestSplits.path(ref.ulid()));
            byte[] object = Files.readAllBytes(file);
            try (SplitReader split = splits.open(ref, SCHEMA, RoaringBitmap.bitmapOf(1))) {
                assertThat(split.matches(WORD)).containsExactly(0);
            }
            assertThat(file).hasBinaryContent(object);

            byte[] damaged = object.clone();
            damaged[object.length / 2] ^= 1;
            Files.write(file, damaged);
            assertCorrupt(splits, ref);
            Files.write(file, Arrays.copyOf(object, object.length / 2));
            assertCorrupt(splits, ref);
            Files.delete(file);
            assertThatThrownBy(() -> splits.open(ref, SCHEMA, null))
                    .isInstanceOf(ObjectNotFoundException.class)
                    .hasMessageContaining(TestSplits.path(ref.ulid()));
            assertThat(splits.cacheDirectory()).isEmptyDirectory();
        }
    }

    private ObjectStore recording(List<String> calls) {
        return (ObjectStore)
                Proxy.newProxyInstance(
                        getClass().getClassLoader(),
                        new Class<?>[] {ObjectStore.class},
                        (proxy, method, args) -> {
                            StringBuilder call = new StringBuilder(method.getName());
                            for (Object arg : args) {
                                call.append(arg instanceof Path ? "" : " " + arg);
                            }
                            calls.add(call.toString());
                            try {
                                return method.invoke(objects, args);
                            } catch (InvocationTargetException e) {
                                throw e.getCause();
                            }
                        });
    }

    @Test
    void theCacheIsBoundedAndDeletedOnClose() throws IOException {
        List<SplitReader> open = new ArrayList<>();
        Path cache;
        try (TantivySplitStore splits = new TantivySplitStore(objects, TestSplits.ROOT, 0)) {
            cache = splits.cacheDirectory();
            assertThat(cache).isEmptyDirectory();
            List<SplitRef> refs = List.of(build(splits), build(splits), build(splits));
            for (SplitRef ref : refs) {
                open.add(splits.open(ref, SCHEMA, RoaringBitmap.bitmapOf(1)));
            }
            assertThat(entries(cache)).isEqualTo(6);
            open.get(1).close();
            assertThat(entries(cache)).isEqualTo(4);
            try (SplitReader again = splits.open(refs.get(0), SCHEMA, null)) {
                assertThat(again.count(WORD)).isEqualTo(2);
                assertThat(entries(cache)).isEqualTo(4);
            }
            open.get(0).close();
            open.get(2).close();
            assertThat(cache).isEmptyDirectory();
        }
        assertThat(cache).doesNotExist();
    }

    private static long entries(Path directory) throws IOException {
        try (Stream<Path> paths = Files.list(directory)) {
            return paths.count();
        }
    }

    @Test
    void manyThreadsSearchOneSplit() throws Exception {
        ExecutorService threads = Executors.newFixedThreadPool(4);
        try (TantivySplitStore splits = store()) {
            SplitRef ref = build(splits);
            List<Future<Long>> counts = new ArrayList<>();
            SplitReader shared = splits.open(ref, SCHEMA, RoaringBitmap.bitmapOf(0));
            byte[] key = PrimaryKey.ofString("k0").canonical();
            for (int i = 0; i < 200; i++) {
                RoaringBitmap deleted = RoaringBitmap.bitmapOf(i % 2);
                counts.add(threads.submit(() -> shared.count(WORD) * shared.docsOfKey(key).length));
                counts.add(
                        threads.submit(
                                () -> {
                                    try (SplitReader split = splits.open(ref, SCHEMA, deleted)) {
                                        return split.count(WORD);
                                    }
                                }));
            }
            for (Future<Long> count : counts) {
                assertThat(count.get()).isEqualTo(1);
            }
            shared.close();
        } finally {
            threads.shutdownNow();
        }
    }

    @Test
    void oldSplitsKeepTheirFieldsUnderNewerSchemas() throws IOException {
        CollectionSchema newer = TestSplits.schema(List.of(TITLE, TAG, JSON), SPARSE);
        CollectionSchema shorter = TestSplits.schema(List.of(TITLE), SPARSE);
        Field otherTag = new Field("tag", "tag", new FieldKind.Keyword(), false, true, false);
        CollectionSchema changed = TestSplits.schema(List.of(TITLE, otherTag), SPARSE);
        CollectionSchema swapped = TestSplits.schema(List.of(TAG, TITLE), SPARSE);
        CollectionSchema dense = TestSplits.schema(List.of(TITLE, TAG), List.of());
        try (TantivySplitStore splits = store()) {
            SplitRef ref = build(splits);
            try (SplitReader split = splits.open(ref, newer, null)) {
                assertThat(split.count(WORD)).isEqualTo(2);
                assertThat(split.matches(new SearchQuery.Exists("tag", null))).containsExactly(0);
                assertThat(split.matches(new SearchQuery.Exists("payload", "p"))).isEmpty();
                assertThat(split.matches(new SearchQuery.IsNull("payload", "p"))).isEmpty();
            }
            for (CollectionSchema wrong : List.of(shorter, changed, swapped, dense)) {
                assertThatThrownBy(() -> splits.open(ref, wrong, null))
                        .isInstanceOf(CorruptException.class)
                        .hasMessageContaining(TestSplits.path(ref.ulid()))
                        .hasMessageContaining("the split's fields are not those of the first");
            }
        }
    }

    @Test
    void refusesReferencesThatDoNotFitTheObject() throws IOException {
        try (TantivySplitStore splits = store();
                TantivySplitStore warm = store()) {
            SplitRef ref = build(splits);
            try (SplitReader keepsItCached = warm.open(ref, SCHEMA, null)) {
                assertThat(keepsItCached.docCount()).isEqualTo(3);
                for (SplitRef wrong : wrongReferences(ref)) {
                    assertCorrupt(splits, wrong);
                    assertCorrupt(warm, wrong);
                }
            }
            RoaringBitmap beyond = RoaringBitmap.bitmapOf(3);
            assertThatThrownBy(() -> splits.open(ref, SCHEMA, beyond))
                    .isInstanceOf(CorruptException.class)
                    .hasMessage("document 3 is deleted, but the split has 3");
            try (SplitReader split = splits.open(withCrc(ref, 0), SCHEMA, null)) {
                assertThat(split.docCount()).isEqualTo(3);
            }
        }
    }

    private static List<SplitRef> wrongReferences(SplitRef ref) {
        long start = ref.footerStart();
        long end = ref.footerEnd();
        return List.of(
                with(ref, 3, ref.sizeBytes(), start + 1, end, 0),
                with(ref, 3, ref.sizeBytes() + 1, start, end, 0),
                with(ref, 3, ref.sizeBytes() - 1, start, end - 1, 0),
                with(ref, 3, ref.sizeBytes() + 1, start, end + 1, 0),
                with(ref, 3, ref.sizeBytes(), end, end, 0),
                with(ref, 3, ref.sizeBytes(), -1, end, 0),
                with(ref, 4, ref.sizeBytes(), start, end, 0),
                withCrc(ref, ref.footerCrc32c() ^ 1));
    }

    private static SplitRef withCrc(SplitRef ref, int crc) {
        return with(ref, ref.docCount(), ref.sizeBytes(), ref.footerStart(), ref.footerEnd(), crc);
    }

    private static SplitRef with(
            SplitRef ref, long docs, long size, long footerStart, long footerEnd, int crc) {
        return new SplitRef(
                ref.ulid(), docs, 0, size, footerStart, footerEnd, ref.ranges(), "", 1, 0, 0, crc);
    }

    private static void assertCorrupt(TantivySplitStore splits, SplitRef ref) {
        assertThatThrownBy(() -> splits.open(ref, SCHEMA, null))
                .isInstanceOf(CorruptException.class)
                .hasMessageContaining(TestSplits.path(ref.ulid()));
    }

    /** A damaged split must not reach native code, which would end the process. */
    @Test
    void damagedSplitsAreCorruptAndTheProcessLives() throws IOException {
        long seed = Campaign.seed();
        System.out.println("loam.seed=" + seed);
        Random random = new Random(seed);
        try (TantivySplitStore splits = new TantivySplitStore(objects, TestSplits.ROOT, 0)) {
            SplitRef ref = withCrc(build(splits), 0);
            String path = TestSplits.path(ref.ulid());
            byte[] object = objects.get(path);
            int refused = 0;
            for (int run = 0; run < 400; run++) {
                byte[] damaged = object.clone();
                int from = run % 2 == 0 ? (int) ref.footerStart() : 0;
                int flips = 1 + random.nextInt(3);
                for (int i = 0; i < flips; i++) {
                    int at = from + random.nextInt(object.length - from);
                    damaged[at] ^= (byte) (1 << random.nextInt(8));
                }
                objects.corrupt(path, damaged);
                try (SplitReader split = splits.open(ref, SCHEMA, null)) {
                    // Damage in bytes nobody reads, such as the hotcache's slices, is no harm.
                    assertThat(split.matches(WORD)).containsExactly(0, 1);
                } catch (CorruptException expected) {
                    refused++;
                }
            }
            assertThat(refused).isPositive();

            for (int length : new int[] {0, 10, object.length / 2, object.length - 1}) {
                objects.corrupt(path, Arrays.copyOf(object, length));
                assertCorrupt(splits, ref);
            }
            objects.corrupt(path, Arrays.copyOf(object, object.length + 1));
            assertCorrupt(splits, ref);
        }
    }

    @Test
    void everyBitOfTheFooterIsGuardedByTheManifestsCrc() throws IOException {
        try (TantivySplitStore splits = store()) {
            SplitRef ref = build(splits);
            String path = TestSplits.path(ref.ulid());
            byte[] object = objects.get(path);
            for (int at = (int) ref.footerStart(); at < object.length; at += 7) {
                byte[] damaged = object.clone();
                damaged[at] ^= 1;
                objects.corrupt(path, damaged);
                assertThatThrownBy(() -> splits.open(ref, SCHEMA, null))
                        .isInstanceOf(CorruptException.class)
                        .hasMessageContaining("crc32c");
            }
        }
    }

    @Test
    void builtSplitsFollowTheFormat() throws IOException {
        try (TantivySplitStore splits = store()) {
            SplitRef ref = build(splits);
            byte[] object = objects.get(TestSplits.path(ref.ulid()));
            byte[] bytes = Arrays.copyOfRange(object, (int) ref.footerStart(), object.length);
            SplitFooter footer = SplitFooter.parse("x", ref.footerStart(), bytes);

            assertThat(ref.footerEnd()).isEqualTo(object.length);
            assertThat(SplitFooter.crc32c(bytes)).isEqualTo(ref.footerCrc32c());
            assertThat(footer.files())
                    .extracting(file -> file.name().replaceAll("^[0-9a-f]{32}", "segment"))
                    .containsExactly(
                            ".managed.json",
                            "segment.fast",
                            "segment.fieldnorm",
                            "segment.idx",
                            "segment.pos",
                            "segment.store",
                            "segment.term",
                            "meta.json");
            assertThat(footer.files().get(footer.files().size() - 1).end())
                    .isEqualTo(ref.footerStart());
            Hotcache hotcache = Hotcache.parse("x", footer.hotcache());
            assertThat(hotcache.files()).isNotEmpty();
            assertThat(Hotcache.parse("x", hotcache.encode())).isEqualTo(hotcache);
        }
    }

    @Test
    void copiesOfOtherSplitsAreEvictedUnlessTheyAreOpen() throws IOException {
        try (TantivySplitStore splits = store()) {
            SplitRef open = build(splits);
            SplitRef named = build(splits);
            SplitRef other = build(splits);
            splits.open(named, SCHEMA, null).close();
            splits.open(other, SCHEMA, null).close();
            try (SplitReader reader = splits.open(open, SCHEMA, null)) {
                assertThat(copies(splits)).isEqualTo(3);
                splits.evictOthers(Set.of(named.ulid()));
                assertThat(copies(splits)).isEqualTo(2);
                assertThat(reader.count(WORD)).isEqualTo(2);
            }
            splits.evictOthers(Set.of(named.ulid()));
            assertThat(copies(splits)).isEqualTo(1);
            splits.open(other, SCHEMA, null).close();
        }
    }

    private static long copies(TantivySplitStore splits) throws IOException {
        try (Stream<Path> found = Files.walk(splits.cacheDirectory())) {
            return found.filter(file -> file.getFileName().toString().endsWith(".store")).count();
        }
    }
}
