package io.loam.jobs.maintain;

import io.loam.codec.erase.ErasureRequest;
import io.loam.codec.json.Json;
import io.loam.codec.key.PrimaryKey;
import io.loam.codec.record.Document;
import io.loam.codec.record.Operation;
import io.loam.codec.schema.CollectionSchema;
import io.loam.codec.schema.CollectionSchema.Distance;
import io.loam.codec.schema.CollectionSchema.Dynamic;
import io.loam.codec.schema.CollectionSchema.Element;
import io.loam.codec.schema.CollectionSchema.Hnsw;
import io.loam.codec.schema.CollectionSchema.Vector;
import io.loam.codec.schema.CollectionSchema.VectorIndex;
import io.loam.codec.schema.HotConfiguration;
import io.loam.codec.testing.Campaign;
import io.loam.jobs.cli.LoamRun;
import io.loam.store.CollectionHandle;
import io.loam.store.Warehouse;
import io.loam.store.WarehouseOptions;
import io.loam.store.commit.CommitterOptions;
import io.loam.store.commit.LinkApplyCommitter;
import io.loam.store.erase.EraseOptions;
import io.loam.store.erase.ErasedDocuments;
import io.loam.store.erase.ErasedKeys;
import io.loam.store.erase.Eraser;
import io.loam.store.erase.ErasureSecret;
import io.loam.store.erase.LeftoverScan;
import io.loam.store.erase.Leftovers;
import io.loam.store.erase.Leftovers.Leftover;
import io.loam.store.object.ObjectInfo;
import io.loam.store.testing.TestLog;
import io.loam.store.testing.TestWriter;
import io.loam.store.verify.Verifier;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import static org.assertj.core.api.Assertions.assertThat;

/** Vectors are erased from hot graphs and from indexes of vectors, too. */
class ErasedVectorsITCase {
    private static final int ROWS = 5_200;
    private static final int DIM = 16;
    private static final PrimaryKey ERASED = PrimaryKey.ofU64(77);

    @TempDir Path dir;

    private final Random random = new Random(Campaign.seed());
    private final TestLog log = new TestLog(1);
    private final ErasureSecret secret = new ErasureSecret(new byte[ErasureSecret.BYTES]);
    private Warehouse warehouse;
    private CollectionHandle handle;
    private LinkApplyCommitter apply;
    private TestWriter writer;

    @BeforeEach
    void fill() throws IOException {
        warehouse = Warehouse.openOrCreate(WarehouseOptions.local(dir.resolve("warehouse")));
        handle =
                warehouse.open(
                        warehouse
                                .metastore()
                                .createCollection("default", "docs", schema(), 1, null)
                                .id());
        apply = new LinkApplyCommitter(handle, CommitterOptions.of("writer"));
        writer = TestWriter.start(handle, log, Files.createDirectories(dir.resolve("writer")));
        for (long key = 0; key < ROWS; key++) {
            upsert(PrimaryKey.ofU64(key));
        }
        apply.commit(writer.checkpoint(1), false);
    }

    @AfterEach
    void close() throws IOException {
        apply.close();
        handle.close();
        warehouse.close();
    }

    private static CollectionSchema schema() {
        Vector vector =
                new Vector(
                        "v",
                        DIM,
                        Distance.COSINE,
                        Element.F32,
                        new VectorIndex.Auto(),
                        Hnsw.DEFAULT,
                        null);
        return new CollectionSchema(
                1,
                List.of(),
                List.of(vector),
                List.of(),
                Dynamic.IGNORE,
                CollectionSchema.DEFAULT_MAX_FIELDS,
                Map.of(HotConfiguration.KEY, HotConfiguration.print(List.of("v"))));
    }

    private void upsert(PrimaryKey key) {
        float[] vector = new float[DIM];
        for (int i = 0; i < DIM; i++) {
            vector[i] = (float) random.nextGaussian();
        }
        byte[] source = ("{\"n\":" + key.u64() + "}").getBytes(StandardCharsets.UTF_8);
        log.add(
                new Operation.Upsert(
                        new Document(
                                key, Json.parseObject(source), Map.of("v", vector), Map.of())));
    }

    private String loam(String command, String... more) {
        return LoamRun.of(
                        Stream.concat(
                                        Stream.of(
                                                command,
                                                "docs",
                                                "--warehouse",
                                                dir.resolve("warehouse").toString()),
                                        Stream.of(more))
                                .toArray(String[]::new))
                .ok()
                .out();
    }

    private List<String> leftIn(ErasureRequest request, Collection<byte[]> sequences)
            throws IOException {
        ErasedKeys keys = ErasedKeys.of(request, secret, Set.of(ERASED));
        return LeftoverScan.of(handle, keys, sequences).found().stream()
                .map(Leftover::path)
                .toList();
    }

    private Set<String> indexFiles() throws IOException {
        return handle.objects().list(handle.paths().lance()).stream()
                .map(ObjectInfo::path)
                .filter(path -> path.contains("/_indices/"))
                .collect(Collectors.toSet());
    }

    @Test
    void theyAreInNoGraphAndNoIndex() throws IOException {
        assertThat(loam("maintain", "--once"))
                .contains("hot graph for _vector_0 (5200 points of version 1)")
                .contains("index");
        Set<String> indexes = indexFiles();
        assertThat(indexes).isNotEmpty();
        log.add(new Operation.Delete(ERASED));
        Eraser eraser =
                new Eraser(
                        handle,
                        EraseOptions.of("test").withWaitMs(0).withGraceMs(0),
                        Files.createDirectories(dir.resolve("work")),
                        step -> {},
                        ms -> {});
        ErasureRequest request =
                eraser.request(List.of(ERASED), Map.of(0, (long) log.from(0, 0).size()), secret);
        apply.commit(writer.checkpoint(1), false);
        Collection<byte[]> sequences = ErasedDocuments.read(handle, ERASED::equals).sequences();
        assertThat(leftIn(request, sequences))
                .anyMatch(path -> path.contains("/lance/data/"))
                .anyMatch(path -> path.contains("/hot/"));

        Leftovers left =
                eraser.run(
                        request, ErasedKeys.of(request, secret, Set.of(ERASED)), sequences, null);
        assertThat(left.found()).isEmpty();
        assertThat(handle.live().manifest().hotArtifacts()).isEmpty();
        assertThat(indexFiles()).isNotEmpty().doesNotContainAnyElementsOf(indexes);

        assertThat(loam("maintain", "--once"))
                .contains("hot graph for _vector_0 (5199 points of version");
        assertThat(leftIn(request, sequences)).isEmpty();
        assertThat(loam("search", "--vector", "v", "--like", "5", "--explain", "-k", "3"))
                .startsWith("served by: hot graph of version")
                .contains("{\"n\":5}");
        assertThat(Verifier.againstLog(handle, log).violations()).isEmpty();
    }
}
