package io.loam.lance;

import io.loam.codec.CorruptException;
import io.loam.codec.json.Json;
import io.loam.codec.key.PrimaryKey;
import io.loam.codec.lance.LanceChecksum;
import io.loam.codec.lance.LanceManifestEdit.Edited;
import io.loam.codec.manifest.CollectionManifest;
import io.loam.codec.manifest.CommitKind;
import io.loam.codec.manifest.ManifestProperties;
import io.loam.codec.record.Document;
import io.loam.codec.schema.CollectionSchema;
import io.loam.store.object.LocalObjectStore;
import io.loam.store.object.ObjectNotFoundException;
import io.loam.store.spi.Projection;
import io.loam.store.spi.Row;
import io.loam.store.spi.RowCursor;
import io.loam.store.spi.RowSnapshot;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.IntStream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** Native code would end this process over some of these manifests. */
class LanceVersionReaderITCase {
    private static final String MANIFEST = "_versions/18446744073709551614.manifest";
    private static final CollectionSchema SCHEMA =
            new CollectionSchema(
                    1,
                    List.of(),
                    List.of(),
                    List.of(),
                    CollectionSchema.Dynamic.IGNORE,
                    CollectionSchema.DEFAULT_MAX_FIELDS,
                    Map.of());

    @TempDir Path directory;

    @Test
    void damagedManifestsAreReportedWithTheirPath() throws IOException {
        try (LocalObjectStore objects = LocalObjectStore.open(directory)) {
            LanceRowStore rows = new LanceRowStore(objects, "c/lance");
            rows.ensureDataset();
            Path manifest = directory.resolve("c/lance").resolve(MANIFEST);
            byte[] good = Files.readAllBytes(manifest);
            for (int length = 0; length < good.length; length++) {
                Files.write(manifest, Arrays.copyOf(good, length));
                assertThatThrownBy(() -> rows.open(1, null).close())
                        .isInstanceOf(CorruptException.class)
                        .hasMessageContaining("c/lance/" + MANIFEST);
            }
            Files.write(manifest, new byte[good.length]);
            assertThatThrownBy(() -> rows.open(1, null).close())
                    .isInstanceOf(CorruptException.class)
                    .hasMessageContaining("c/lance/" + MANIFEST);
            Files.delete(manifest);
            assertThatThrownBy(() -> rows.open(1, null).close())
                    .isInstanceOf(ObjectNotFoundException.class)
                    .hasMessageContaining("c/lance/" + MANIFEST);
        }
    }

    @Test
    void anyFlippedBitOfAManifestIsReportedIfItsChecksumIsKnown() throws IOException {
        try (LanceDataset dataset = new LanceDataset(directory, new Random(1))) {
            dataset.commit(SCHEMA, 10, rows(20), new long[] {12});
            String path = LanceDataset.path(dataset.version);
            byte[] good = dataset.objects.get(path);
            CollectionManifest manifest = manifest(dataset.version, good);
            dataset.rows.open(manifest, SCHEMA).close();
            for (int at = 0; at < good.length; at++) {
                byte[] bad = good.clone();
                bad[at] ^= (byte) (1 << (at % 8));
                replace(path, bad);
                assertThatThrownBy(() -> dataset.rows.open(manifest, SCHEMA).close())
                        .isInstanceOf(CorruptException.class)
                        .hasMessageContaining(path);
            }
        }
    }

    /** Version 1 has no checksum. Whatever is not refused must not end the process. */
    @Test
    void aFlippedBitOfTheFirstVersionEndsNoProcess() throws IOException {
        try (LocalObjectStore objects = LocalObjectStore.open(directory);
                LanceRowStore rows = new LanceRowStore(objects, "c/lance")) {
            rows.ensureDataset();
            Path manifest = directory.resolve("c/lance").resolve(MANIFEST);
            byte[] good = Files.readAllBytes(manifest);
            int refused = 0;
            for (int bit = 0; bit < good.length * Byte.SIZE; bit++) {
                byte[] bad = good.clone();
                bad[bit / Byte.SIZE] ^= (byte) (1 << (bit % Byte.SIZE));
                Files.write(manifest, bad);
                try (RowSnapshot version = rows.open(1, SCHEMA)) {
                    version.scan(Projection.ALL, 0, 1).close();
                } catch (CorruptException e) {
                    assertThat(e).hasMessageContaining("c/lance/" + MANIFEST);
                    refused++;
                } catch (IOException e) {
                    assertThat(e).hasMessageContaining("version 1 of ");
                }
            }
            assertThat(refused).isGreaterThan(good.length);
        }
    }

    @Test
    void anotherVersionsManifestIsReported() throws IOException {
        try (LanceDataset dataset = new LanceDataset(directory, new Random(1))) {
            dataset.commit(SCHEMA, 10, rows(20), new long[0]);
            byte[] other = dataset.objects.get(LanceDataset.path(dataset.version));
            dataset.commit(SCHEMA, 40, rows(2), new long[0]);
            String path = LanceDataset.path(dataset.version);
            replace(path, other);
            assertThatThrownBy(() -> dataset.rows.open(dataset.version, SCHEMA).close())
                    .isInstanceOf(CorruptException.class)
                    .hasMessageContaining(path);
        }
    }

    @Test
    void anyFlippedBitOfADeletionFileIsReported() throws IOException {
        try (LanceDataset dataset = new LanceDataset(directory, new Random(1))) {
            Edited edited = dataset.commit(SCHEMA, 10, rows(20), new long[] {12, 15, 16});
            String path = LanceDataset.ROOT + "/" + edited.deletionFiles().get(0).path();
            byte[] good = dataset.objects.get(path);
            assertThat(good).isNotEmpty();
            for (int at = 0; at < good.length; at++) {
                byte[] bad = good.clone();
                bad[at] ^= (byte) (1 << (at % 8));
                replace(path, bad);
                assertThatThrownBy(() -> dataset.rows.open(dataset.version, SCHEMA).close())
                        .isInstanceOf(CorruptException.class)
                        .hasMessageContaining(path);
            }
            Files.delete(directory.resolve("warehouse").resolve(path));
            assertThatThrownBy(() -> dataset.rows.open(dataset.version, SCHEMA).close())
                    .isInstanceOf(ObjectNotFoundException.class)
                    .hasMessageContaining(path);
        }
    }

    /** Lance's code ends the process over some of these, and reads others as other values. */
    @Test
    void anyFlippedBitOfADataFileIsReported() throws IOException {
        try (LanceDataset dataset = new LanceDataset(directory, new Random(1))) {
            dataset.commit(SCHEMA, 10, rows(20), new long[0]);
            String file = dataset.manifest().fragments().get(0).dataFiles().get(0);
            String path = LanceDataset.ROOT + "/" + file;
            String name = file.substring(file.indexOf('/') + 1);
            byte[] good = dataset.objects.get(path);
            try (RowSnapshot version = dataset.rows.open(dataset.version, SCHEMA)) {
                for (int at = 0; at < good.length; at++) {
                    byte[] bad = good.clone();
                    bad[at] ^= (byte) (1 << (at % 8));
                    replace(path, bad);
                    assertThatThrownBy(() -> version.scan(Projection.ALL, 0, 1))
                            .isInstanceOf(CorruptException.class)
                            .hasMessageContaining(path);
                    assertThatThrownBy(() -> version.take(new long[] {11}, Projection.ALL))
                            .isInstanceOf(CorruptException.class)
                            .hasMessageContaining(path);
                    assertThatThrownBy(() -> dataset.rows.openFile(name, 10, 20, SCHEMA))
                            .isInstanceOf(CorruptException.class)
                            .hasMessageContaining(path);
                }
                replace(path, good);
                try (RowCursor cursor = version.scan(Projection.ALL, 0, 1)) {
                    assertThat(cursor.next()).isNotNull();
                }
            }
        }
    }

    private void replace(String path, byte[] bytes) throws IOException {
        Files.write(directory.resolve("warehouse").resolve(path), bytes);
    }

    private static CollectionManifest manifest(long version, byte[] file) {
        return new CollectionManifest(
                1,
                0,
                1,
                1,
                0,
                version,
                List.of(),
                List.of(),
                List.of(),
                Map.of(),
                19,
                "",
                CommitKind.LINK_APPLY,
                "",
                "",
                0,
                0,
                List.of(),
                null,
                "",
                Map.of(ManifestProperties.ROW_VERSION, LanceChecksum.of(version, file)),
                30);
    }

    private static List<Row> rows(int count) {
        return IntStream.range(0, count)
                .mapToObj(
                        i -> {
                            byte[] source = ("{\"n\":" + i + "}").getBytes(StandardCharsets.UTF_8);
                            return new Row(
                                    new Document(
                                            PrimaryKey.ofU64(i),
                                            Json.parseObject(source),
                                            Map.of(),
                                            Map.of()),
                                    source,
                                    0,
                                    i);
                        })
                .toList();
    }
}
