package io.loam.store.hot;

import io.loam.codec.CorruptException;
import io.loam.codec.hot.HotDescriptor;
import io.loam.codec.hot.RowIdSet;
import io.loam.codec.schema.CollectionSchema.Distance;
import io.loam.codec.schema.CollectionSchema.Hnsw;
import io.loam.codec.testing.Campaign;
import io.loam.store.object.ObjectInfo;
import io.loam.store.object.ParallelIo;
import io.loam.store.testing.InMemoryObjectStore;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Random;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** The objects of a hot artifact, whole and damaged. */
class HotObjectsTest {
    private static final String PREFIX = "ns/1/collections/1/hot/hnsw/_vector_0/x/";
    private static final int CHUNK = 1_000;

    @TempDir Path dir;

    private final Random random = new Random(Campaign.seed());
    private final InMemoryObjectStore store = new InMemoryObjectStore();
    private final HotObjects objects = new HotObjects(store, PREFIX);
    private HotDescriptor descriptor;

    @BeforeEach
    void store() throws IOException {
        Path graph = Files.createDirectories(dir.resolve("graph/deep"));
        for (int size : new int[] {0, 1, CHUNK - 1, CHUNK, CHUNK + 1, 3 * CHUNK, 3_500}) {
            byte[] bytes = new byte[size];
            random.nextBytes(bytes);
            Files.write(graph.resolve("file-" + size), bytes);
        }
        RowIdSet covered = new RowIdSet().addRange(5, 100);
        descriptor =
                new HotUpload(store, PREFIX, CHUNK)
                        .store(dir.resolve("graph"), covered, HotObjectsTest::described);
        assertThat(objects.covered(descriptor)).isEqualTo(covered);
    }

    private static HotDescriptor described(
            List<HotDescriptor.File> files, HotUpload.Stored stored) {
        return new HotDescriptor(
                "fake-1",
                1,
                "_vector_0",
                "v",
                new HotDescriptor.Spec(2, Distance.DOT, Hnsw.DEFAULT, null, List.of(), 1),
                1,
                2,
                105,
                100,
                100,
                files,
                stored.coveredBytes(),
                stored.coveredCrc32c(),
                stored.chunkBytes(),
                7);
    }

    private void download(Path to) throws IOException {
        Files.createDirectories(to);
        try (ParallelIo reads = new ParallelIo("test")) {
            new HotDownload(objects, objects.descriptor(), reads).to(to);
        }
    }

    @Test
    void filesComeBackAsTheyWere() throws IOException {
        assertThat(objects.descriptor()).isEqualTo(descriptor);
        assertThat(descriptor.files())
                .extracting(HotDescriptor.File::chunks)
                .containsExactlyInAnyOrder(1, 1, 1, 1, 2, 3, 4);
        assertThat(objects.damage()).isEmpty();
        Path copy = dir.resolve("copy");
        download(copy);
        for (HotDescriptor.File file : descriptor.files()) {
            assertThat(copy.resolve(file.path()))
                    .hasSameBinaryContentAs(dir.resolve("graph").resolve(file.path()));
        }
        assertThat(store.list(PREFIX))
                .extracting(ObjectInfo::path)
                .containsExactlyInAnyOrderElementsOf(objects.paths(descriptor));
    }

    @Test
    void damageIsNamedAndNothingIsServed() throws IOException {
        int round = 0;
        for (String path : objects.paths(descriptor)) {
            byte[] whole = store.get(path);
            for (int i = 0; i < Campaign.size(15, 300); i++) {
                byte[] damaged =
                        i == 0
                                ? new byte[0]
                                : i % 3 == 0
                                        ? Arrays.copyOf(whole, random.nextInt(whole.length + 20))
                                        : whole.clone();
                if (damaged.length > 0) {
                    damaged[random.nextInt(damaged.length)] ^= (byte) (1 << random.nextInt(8));
                }
                store.delete(path);
                store.put(path, damaged);
                List<String> damage = objects.damage();
                Path to = dir.resolve("copy-" + round++);
                if (damage.isEmpty()) {
                    // The frame of zstd has bits that mean nothing; what comes out is the same.
                    download(to);
                } else {
                    String name = path.replaceFirst("\\.\\d{6}$", "");
                    assertThat(damage).singleElement().asString().contains(name);
                    assertThatThrownBy(
                                    () -> {
                                        download(to);
                                        objects.covered(objects.descriptor());
                                    })
                            .isInstanceOf(CorruptException.class)
                            .hasMessageContaining(name);
                }
            }
            store.delete(path);
            assertThat(objects.damage()).singleElement().asString().isEqualTo(path + ": is gone");
            store.put(path, whole);
        }
        assertThat(objects.damage()).isEmpty();
    }
}
