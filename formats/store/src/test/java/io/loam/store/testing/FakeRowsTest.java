package io.loam.store.testing;

import io.loam.codec.CorruptException;
import io.loam.codec.json.Json;
import io.loam.codec.key.PrimaryKey;
import io.loam.codec.lance.LanceManifest;
import io.loam.codec.lance.LanceManifestEdit;
import io.loam.codec.record.Document;
import io.loam.codec.schema.CollectionSchema;
import io.loam.codec.schema.CollectionSchema.Distance;
import io.loam.codec.schema.CollectionSchema.Dynamic;
import io.loam.codec.schema.CollectionSchema.Element;
import io.loam.codec.schema.CollectionSchema.Hnsw;
import io.loam.codec.schema.CollectionSchema.Vector;
import io.loam.codec.schema.CollectionSchema.VectorIndex;
import io.loam.codec.staged.UnitColumn;
import io.loam.store.spi.Projection;
import io.loam.store.spi.Row;
import io.loam.store.spi.RowCursor;
import io.loam.store.spi.RowFileWriter;
import io.loam.store.spi.RowSnapshot;
import io.loam.store.spi.StoredRow;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** The fake must itself be right: it reads what our writer of Lance manifests writes. */
class FakeRowsTest {
    private static final String DATASET = "ns/1/collections/1/lance";
    private static final long VERSION = Long.MIN_VALUE + 7;

    @TempDir Path temporary;
    private final InMemoryObjectStore objects = new InMemoryObjectStore();
    private final FakeRows rows = new FakeRows(objects, DATASET);
    private final CollectionSchema schema =
            new CollectionSchema(
                    1,
                    List.of(),
                    List.of(
                            new Vector(
                                    "v",
                                    2,
                                    Distance.EUCLID,
                                    Element.F32,
                                    new VectorIndex.None(),
                                    Hnsw.DEFAULT,
                                    null)),
                    List.of(),
                    Dynamic.IGNORE,
                    10,
                    Map.of());

    private RowFileWriter.Written upload(String name, int from, int to) throws IOException {
        Path file = temporary.resolve(name);
        try (RowFileWriter writer = rows.newFile(file, schema)) {
            for (int i = from; i < to; i++) {
                byte[] source = ("{\"i\":" + i + "}").getBytes(StandardCharsets.UTF_8);
                Document document =
                        new Document(
                                PrimaryKey.ofU64(i),
                                Json.parseObject(source),
                                Map.of("v", new float[] {i, 0}),
                                Map.of());
                writer.append(new Row(document, source, 1, 100 + i));
            }
            RowFileWriter.Written written = writer.finish();
            objects.putFile(DATASET + "/data/" + name, file);
            return written;
        }
    }

    @Test
    void readsAVersionOurEditorWrote() throws IOException {
        rows.ensureDataset();
        rows.ensureDataset();
        assertThat(rows.open(1, schema).countRows()).isZero();
        assertThat(rows.open(0, schema).countRows()).isZero();
        RowFileWriter.Written first = upload("a.lance", 0, 4);
        RowFileWriter.Written second = upload("b.lance", 4, 6);
        assertThat(first.columns()).containsExactly(new UnitColumn("_vector_0", 2));
        String base = FakeRowSnapshot.versionPath(DATASET, 1);
        LanceManifestEdit.Edited edited =
                LanceManifest.parse(objects.get(base), base)
                        .edit(VERSION, path -> new byte[0])
                        .ensureColumns(first.columns())
                        .addFragment("a.lance", first.bytes(), first.columns(), 50, 4)
                        .addFragment("b.lance", second.bytes(), second.columns(), 90, 2)
                        .delete(new long[] {51})
                        .finish(92, 1);
        for (LanceManifestEdit.DeletionPut put : edited.deletionFiles()) {
            objects.put(DATASET + "/" + put.path(), put.bytes());
        }
        objects.put(FakeRowSnapshot.versionPath(DATASET, VERSION), edited.manifest());

        RowSnapshot snapshot = rows.open(VERSION, schema);
        assertThat(snapshot.countRows()).isEqualTo(5);
        assertThat(ids(snapshot, 0, 1)).containsExactly(50L, 52L, 53L, 90L, 91L);
        // As in Lance, the number of a fragment decides, and the editor counts from 1 here.
        assertThat(ids(snapshot, 0, 2)).containsExactly(90L, 91L);
        assertThat(ids(snapshot, 1, 2)).containsExactly(50L, 52L, 53L);
        List<StoredRow> taken = snapshot.take(new long[] {90, 51, 50}, Projection.ALL);
        assertThat(taken)
                .extracting(StoredRow::key)
                .containsExactly(PrimaryKey.ofU64(4), PrimaryKey.ofU64(0));
        assertThat(snapshot.takeAll(new long[] {90, 50}, Projection.ALL)).hasSize(2);
        assertThatThrownBy(() -> snapshot.takeAll(new long[] {90, 51}, Projection.KEYS))
                .isInstanceOf(CorruptException.class)
                .hasMessage("live documents name rows [90, 51], of which only 1 exist");
        assertThat(taken.get(0).source()).isEqualTo("{\"i\":4}".getBytes(StandardCharsets.UTF_8));
        assertThat(taken.get(0).ingestOffset()).isEqualTo(104);
        assertThat(snapshot.nearest("v", new float[] {1, 0}, 2, null, Projection.KEYS))
                .extracting(scored -> scored.row().rowId())
                .containsExactly(50L, 52L);
    }

    @Test
    void opensAFileNoVersionNames() throws IOException {
        upload("a.lance", 0, 3);

        RowSnapshot snapshot = rows.openFile("a.lance", 700, 3, schema);

        assertThat(ids(snapshot, 0, 1)).containsExactly(700L, 701L, 702L);
    }

    private static List<Long> ids(RowSnapshot snapshot, int part, int parts) throws IOException {
        List<Long> ids = new ArrayList<>();
        try (RowCursor cursor = snapshot.scan(Projection.KEYS, part, parts)) {
            for (StoredRow row = cursor.next(); row != null; row = cursor.next()) {
                ids.add(row.rowId());
            }
        }
        return ids;
    }
}
