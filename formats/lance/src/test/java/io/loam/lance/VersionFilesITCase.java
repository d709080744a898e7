package io.loam.lance;

import io.loam.codec.CorruptException;
import io.loam.codec.json.JsonValue.JsonObject;
import io.loam.codec.key.PrimaryKey;
import io.loam.codec.lance.IndexFile;
import io.loam.codec.lance.LanceFragment;
import io.loam.codec.lance.NewIndexSegment;
import io.loam.codec.record.Document;
import io.loam.codec.schema.CollectionSchema;
import io.loam.store.object.DataFileCheck;
import io.loam.store.object.ObjectNotFoundException;
import io.loam.store.spi.Row;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.UUID;
import java.util.stream.LongStream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/**
 * Which files are looked at before a search by an index. The segments here are none that Lance
 * could search; nothing but their checksums matters.
 */
class VersionFilesITCase {
    private static final CollectionSchema SCHEMA = OracleTestBase.schema(0, 0);
    private static final UUID FIRST = new UUID(1, 1);
    private static final UUID SECOND = new UUID(1, 2);
    private static final UUID OTHER = new UUID(1, 3);

    @TempDir Path folder;

    private final List<DataFileChecks> opened = new ArrayList<>();
    private LanceDataset dataset;

    /** Fragments 1 to 4; the first two are covered by a segment each, the third by neither. */
    @BeforeEach
    void write() throws IOException {
        dataset = new LanceDataset(folder, new Random(3));
        for (int fragment = 1; fragment <= 4; fragment++) {
            List<Row> rows =
                    List.of(
                            new Row(
                                    new Document(
                                            PrimaryKey.ofU64(fragment),
                                            new JsonObject(Map.of()),
                                            Map.of(),
                                            Map.of()),
                                    new byte[] {'{', '}'},
                                    0,
                                    fragment));
            dataset.commit(SCHEMA, 10L * fragment, rows, new long[0]);
        }
        index(FIRST, "vec_0", 1);
        index(SECOND, "vec_0", 2, 4);
        index(OTHER, "vec_1", 3);
        dataset.commit(SCHEMA, 0, List.of(), new long[] {40});
        assertThat(dataset.manifest().fragments())
                .extracting(LanceFragment::id)
                .as("what the second segment also covers is gone")
                .containsExactly(1L, 2L, 3L);
    }

    private void index(UUID id, String name, long... covered) throws IOException {
        List<IndexFile> files = new ArrayList<>();
        for (String file : List.of("index.idx", "auxiliary.idx")) {
            String path = LanceDataset.ROOT + "/_indices/" + id + "/" + file;
            byte[] bytes = (id + file).getBytes();
            dataset.objects.put(path, bytes);
            files.add(
                    new IndexFile(
                            file,
                            bytes.length,
                            DataFileCheck.crc32c(dataset.objects, path, bytes.length)));
        }
        NewIndexSegment segment =
                new NewIndexSegment(
                        id, name, List.of(0), dataset.version, 1, new byte[0], files, 1);
        dataset.index(segment.encode(LongStream.of(covered).boxed().toList()), Set.of());
    }

    @AfterEach
    void close() throws IOException {
        opened.forEach(DataFileChecks::close);
        dataset.close();
    }

    private VersionFiles files(boolean local) throws IOException {
        DataFileChecks checks = new DataFileChecks(dataset.objects, LanceDataset.ROOT, local);
        opened.add(checks);
        return new VersionFiles(dataset.manifest(), checks);
    }

    private Path file(String path) {
        return folder.resolve("warehouse").resolve(LanceDataset.ROOT).resolve(path);
    }

    private Path dataFile(int fragment) throws IOException {
        return file(dataset.manifest().fragments().get(fragment - 1).dataFiles().get(0));
    }

    private static void flip(Path file) throws IOException {
        byte[] bytes = Files.readAllBytes(file);
        bytes[bytes.length / 2] ^= 4;
        Files.write(file, bytes);
    }

    @Test
    void saysWhichIndexesThereAre() throws IOException {
        VersionFiles files = files(true);
        assertThat(files.isIndexed("vec_0")).isTrue();
        assertThat(files.isIndexed("vec_1")).isTrue();
        assertThat(files.isIndexed("vec_2")).isFalse();
        assertThat(files.segments("vec_0")).isEqualTo(2);
        assertThat(files.segments("vec_1")).isEqualTo(1);
        assertThat(files.segments("vec_2")).isZero();
    }

    @Test
    void whatIsSoundIsSearched() throws IOException {
        VersionFiles files = files(true);
        files.requireIndex("vec_0");
        files.requireIndex("vec_1");
        files.requireIndex("vec_2");
    }

    @Test
    void everyFileOfEverySegmentIsLookedAt() throws IOException {
        for (UUID segment : List.of(FIRST, SECOND)) {
            for (String name : List.of("index.idx", "auxiliary.idx")) {
                Path file = file("_indices/" + segment + "/" + name);
                byte[] sound = Files.readAllBytes(file);
                flip(file);
                assertThatThrownBy(() -> files(true).requireIndex("vec_0"))
                        .isInstanceOf(CorruptException.class)
                        .hasMessageContaining("_indices/" + segment + "/" + name)
                        .hasMessageContaining("index vec_0");
                Files.write(file, new byte[3]);
                assertThatThrownBy(() -> files(true).requireIndex("vec_0"))
                        .isInstanceOf(CorruptException.class)
                        .hasMessageContaining(name + ": has 3 bytes");
                Files.delete(file);
                assertThatThrownBy(() -> files(true).requireIndex("vec_0"))
                        .isInstanceOf(ObjectNotFoundException.class)
                        .hasMessageContaining(name);
                Files.write(file, sound);
            }
        }
        files(true).requireIndex("vec_0");
    }

    @Test
    void anotherIndexMayBeDamaged() throws IOException {
        flip(file("_indices/" + OTHER + "/index.idx"));
        files(true).requireIndex("vec_0");
        assertThatThrownBy(() -> files(true).requireIndex("vec_1"))
                .isInstanceOf(CorruptException.class);
    }

    /** Lance compares the vectors of rows that no segment covers, and reads no others. */
    @Test
    void rowsThatNoSegmentCoversAreLookedAtAndNoOthers() throws IOException {
        flip(dataFile(1));
        flip(dataFile(2));
        files(true).requireIndex("vec_0");
        flip(dataFile(3));
        String name = dataFile(3).getFileName().toString();
        assertThatThrownBy(() -> files(true).requireIndex("vec_0"))
                .isInstanceOf(CorruptException.class)
                .hasMessageContaining(name);
        // Of the other index it is the only one that is covered.
        assertThatThrownBy(() -> files(true).requireIndex("vec_1"))
                .isInstanceOf(CorruptException.class)
                .hasMessageNotContaining(name);
    }

    @Test
    void filesDoNotChangeSoThatOnceIsEnough() throws IOException {
        VersionFiles files = files(true);
        files.requireIndex("vec_0");
        flip(file("_indices/" + FIRST + "/index.idx"));
        flip(dataFile(3));
        assertThatCode(() -> files.requireIndex("vec_0")).doesNotThrowAnyException();
        assertThatThrownBy(() -> files(true).requireIndex("vec_0"))
                .isInstanceOf(CorruptException.class);
    }

    @Test
    void anotherStoreChecksWhatItKeepsItself() throws IOException {
        flip(file("_indices/" + FIRST + "/index.idx"));
        flip(dataFile(3));
        files(false).requireIndex("vec_0");
    }
}
