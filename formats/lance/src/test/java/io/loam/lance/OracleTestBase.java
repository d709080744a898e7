package io.loam.lance;

import io.loam.codec.json.Json;
import io.loam.codec.json.JsonValue.JsonInteger;
import io.loam.codec.json.JsonValue.JsonObject;
import io.loam.codec.key.PrimaryKey;
import io.loam.codec.lance.LanceFragment;
import io.loam.codec.lance.LanceManifestEdit.Edited;
import io.loam.codec.record.Document;
import io.loam.codec.record.SparseVector;
import io.loam.codec.schema.CollectionSchema;
import io.loam.codec.schema.CollectionSchema.Distance;
import io.loam.codec.schema.CollectionSchema.Dynamic;
import io.loam.codec.schema.CollectionSchema.Element;
import io.loam.codec.schema.CollectionSchema.Hnsw;
import io.loam.codec.schema.CollectionSchema.Modifier;
import io.loam.codec.schema.CollectionSchema.SparseField;
import io.loam.codec.schema.CollectionSchema.Vector;
import io.loam.codec.schema.CollectionSchema.VectorIndex;
import io.loam.store.spi.Projection;
import io.loam.store.spi.Row;
import io.loam.store.spi.RowCursor;
import io.loam.store.spi.RowSnapshot;
import io.loam.store.spi.StoredRow;

import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;

import static org.assertj.core.api.Assertions.assertThat;

/** What was written, and whether lance-core reads just that. */
abstract class OracleTestBase {
    static final int DIM = 4;

    @TempDir Path folder;

    /** The live rows by their ids. */
    final Map<Long, Row> model = new TreeMap<>();

    private int keys;

    long[] someLive(Random random) {
        return model.keySet().stream()
                .filter(id -> random.nextInt(12) == 0)
                .mapToLong(Long::longValue)
                .toArray();
    }

    void append(
            LanceDataset dataset,
            CollectionSchema schema,
            Random random,
            long firstRowId,
            int count,
            long[] deleted)
            throws IOException {
        List<Row> added = rows(schema, random, firstRowId, count);
        for (int i = 0; i < count; i++) {
            model.put(firstRowId + i, added.get(i));
        }
        commit(dataset, schema, firstRowId, added, deleted);
    }

    Edited commit(
            LanceDataset dataset,
            CollectionSchema schema,
            long firstRowId,
            List<Row> added,
            long... deleted)
            throws IOException {
        Edited edited = dataset.commit(schema, firstRowId, added, deleted);
        for (long id : deleted) {
            model.remove(id);
        }
        return edited;
    }

    List<Row> rows(CollectionSchema schema, Random random, long firstRowId, int count) {
        List<Row> rows = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            rows.add(row(schema, random, firstRowId + i));
        }
        return rows;
    }

    Row row(CollectionSchema schema, Random random, long rowId) {
        Map<String, float[]> vectors = new HashMap<>();
        schema.vectors().stream()
                .filter(v -> random.nextInt(5) > 0)
                .forEach(v -> vectors.put(v.name(), vector(random)));
        Map<String, SparseVector> sparse = new HashMap<>();
        schema.sparseVectors().stream()
                .filter(v -> random.nextInt(4) > 0)
                .forEach(v -> sparse.put(v.name(), sparse(random)));
        JsonObject source = new JsonObject(Map.of("n", JsonInteger.of(rowId)));
        Document document =
                new Document(PrimaryKey.ofString("key-" + keys++), source, vectors, sparse);
        return new Row(document, Json.print(source), random.nextInt(4), random.nextLong());
    }

    static float[] vector(Random random) {
        float[] vector = new float[DIM];
        for (int i = 0; i < DIM; i++) {
            vector[i] = random.nextFloat() - 0.5f;
        }
        return vector;
    }

    static SparseVector sparse(Random random) {
        int length = random.nextInt(4);
        int[] indices = new int[length];
        float[] values = new float[length];
        for (int i = 0; i < length; i++) {
            indices[i] =
                    i == 0 ? random.nextInt(100) : indices[i - 1] + 1 + random.nextInt(1 << 28);
            values[i] = random.nextFloat();
        }
        return new SparseVector(indices, values);
    }

    void assertSame(LanceDataset dataset, CollectionSchema schema) throws IOException {
        assertThat(dataset.manifest().countLive()).isEqualTo(model.size());
        for (LanceFragment fragment : dataset.manifest().fragments()) {
            assertThat(fragment.liveRows()).isPositive();
        }
        try (RowSnapshot rows = dataset.rows.open(dataset.version, schema)) {
            assertThat(rows.countRows()).isEqualTo(model.size());
            Map<Long, StoredRow> scanned = new TreeMap<>();
            try (RowCursor cursor = rows.scan(Projection.ALL, 0, 1)) {
                for (StoredRow row = cursor.next(); row != null; row = cursor.next()) {
                    assertThat(scanned.put(row.rowId(), row)).isNull();
                }
            }
            assertThat(scanned.keySet()).isEqualTo(model.keySet());
            scanned.forEach((id, row) -> assertEqual(row, model.get(id)));
            long[] ids = model.keySet().stream().mapToLong(Long::longValue).toArray();
            List<StoredRow> taken = rows.take(ids, Projection.ALL);
            assertThat(taken).hasSize(ids.length);
            for (int i = 0; i < ids.length; i++) {
                assertThat(taken.get(i).rowId()).isEqualTo(ids[i]);
                assertEqual(taken.get(i), model.get(ids[i]));
            }
        }
    }

    static void assertEqual(StoredRow row, Row expected) {
        assertThat(row.key()).isEqualTo(expected.document().key());
        assertThat(row.source()).isEqualTo(expected.source());
        assertThat(row.ingestPartition()).isEqualTo(expected.ingestPartition());
        assertThat(row.ingestOffset()).isEqualTo(expected.ingestOffset());
        Document read =
                new Document(
                        row.key(),
                        expected.document().source(),
                        row.vectors(),
                        row.sparseVectors());
        assertThat(read).isEqualTo(expected.document());
    }

    static CollectionSchema schema(int dense, int sparse) {
        return schema(dense, sparse, Distance.COSINE);
    }

    static CollectionSchema schema(int dense, int sparse, Distance distance) {
        List<Vector> vectors = new ArrayList<>();
        for (int i = 0; i < dense; i++) {
            vectors.add(
                    new Vector(
                            "v" + i,
                            DIM,
                            distance,
                            Element.F32,
                            new VectorIndex.Auto(),
                            Hnsw.DEFAULT,
                            null));
        }
        List<SparseField> sparseFields = new ArrayList<>();
        for (int j = 0; j < sparse; j++) {
            sparseFields.add(new SparseField("s" + j, Modifier.NONE));
        }
        return new CollectionSchema(
                1 + dense, List.of(), vectors, sparseFields, Dynamic.IGNORE, 1000, Map.of());
    }
}
