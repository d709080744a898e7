package io.loam.lance;

import io.loam.codec.CorruptException;
import io.loam.codec.json.Json;
import io.loam.codec.json.JsonValue.JsonInteger;
import io.loam.codec.json.JsonValue.JsonObject;
import io.loam.codec.key.PrimaryKey;
import io.loam.codec.lance.LanceManifest;
import io.loam.codec.record.Document;
import io.loam.codec.schema.CollectionSchema;
import io.loam.codec.schema.CollectionSchema.Dynamic;
import io.loam.store.object.LocalObjectStore;
import io.loam.store.spi.Projection;
import io.loam.store.spi.Row;
import io.loam.store.spi.RowCursor;
import io.loam.store.spi.RowSnapshot;
import io.loam.store.spi.StoredRow;

import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.memory.RootAllocator;
import org.apache.arrow.vector.Float4Vector;
import org.apache.arrow.vector.complex.FixedSizeListVector;
import org.apache.arrow.vector.types.Types.MinorType;
import org.apache.arrow.vector.types.pojo.FieldType;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.lance.CommitBuilder;
import org.lance.Dataset;
import org.lance.Fragment;
import org.lance.FragmentMetadata;
import org.lance.ReadOptions;
import org.lance.Transaction;
import org.lance.WriteParams;
import org.lance.operation.Append;
import org.lance.operation.Operation;
import org.lance.operation.Update;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** lance-core commits on top of our versions; native memory; racing creators. */
class LanceOnTopITCase {
    private static final CollectionSchema SCHEMA =
            new CollectionSchema(
                    1, List.of(), List.of(), List.of(), Dynamic.IGNORE, 1000, Map.of());

    @TempDir Path folder;

    @Test
    void lanceAppendsAndDeletesOnTopOfOurVersions() throws IOException {
        try (LanceDataset dataset = new LanceDataset(folder, new Random(1));
                BufferAllocator allocator = new RootAllocator()) {
            dataset.commit(SCHEMA, 1000, rows(5, 0), new long[0]);
            dataset.commit(SCHEMA, 7000, rows(5, 5), new long[] {1001, 7004});
            String uri = folder.resolve("warehouse").resolve(LanceDataset.ROOT).toString();

            long appended = append(dataset, uri, allocator);
            assertThat(ids(dataset, appended))
                    .containsExactly(1000L, 1002L, 1003L, 1004L, 7000L, 7001L, 7002L, 7003L)
                    .isEqualTo(ids(dataset, dataset.version));

            long deleted = delete(uri, dataset.version, allocator);
            assertThat(ids(dataset, deleted))
                    .containsExactly(1002L, 1003L, 1004L, 7000L, 7001L, 7002L, 7003L);

            dataset.version = deleted;
            assertThat(dataset.manifest().countLive()).isEqualTo(7);
            dataset.commit(SCHEMA, 9000, rows(2, 10), new long[] {1002, 7000});
            assertThat(ids(dataset, dataset.version))
                    .containsExactly(1003L, 1004L, 7001L, 7002L, 7003L, 9000L, 9001L);
        }
    }

    /** Appends two rows and returns the version after deleting them again with our writer. */
    private long append(LanceDataset dataset, String uri, BufferAllocator allocator)
            throws IOException {
        List<FragmentMetadata> fragments;
        try (RowBatch batch = new RowBatch(SCHEMA, allocator)) {
            rows(2, 20).forEach(batch::add);
            batch.seal();
            fragments =
                    Fragment.write()
                            .datasetUri(uri)
                            .allocator(allocator)
                            .data(batch.root())
                            .writeParams(
                                    new WriteParams.Builder()
                                            .withMode(WriteParams.WriteMode.CREATE)
                                            .withDataStorageVersion("2.1")
                                            .withEnableStableRowIds(true)
                                            .build())
                            .execute();
        }
        long ours = dataset.version;
        long theirs = commit(uri, ours, Append.builder().fragments(fragments).build(), allocator);
        assertThat(ids(dataset, theirs)).hasSize(10).endsWith(7005L, 7006L);
        dataset.version = theirs;
        LanceManifest manifest = dataset.manifest();
        assertThat(manifest.nextRowId()).isEqualTo(7007);
        dataset.commit(SCHEMA, 0, List.of(), new long[] {7005, 7006});
        long result = dataset.version;
        dataset.version = ours;
        return result;
    }

    private static long delete(String uri, long version, BufferAllocator allocator)
            throws IOException {
        try (Dataset dataset =
                Dataset.open()
                        .allocator(allocator)
                        .uri(uri)
                        .readOptions(new ReadOptions.Builder().setVersion(version).build())
                        .build()) {
            FragmentMetadata changed = dataset.getFragments().get(0).deleteRows(List.of(0));
            return commit(
                    uri,
                    version,
                    Update.builder().updatedFragments(List.of(changed)).build(),
                    allocator);
        }
    }

    private static long commit(
            String uri, long parent, Operation operation, BufferAllocator allocator) {
        try (Transaction transaction =
                        new Transaction.Builder()
                                .readVersion(parent)
                                .uuid(UUID.randomUUID().toString())
                                .operation(operation)
                                .build();
                Dataset made =
                        new CommitBuilder(uri, allocator).detached(true).execute(transaction)) {
            return made.version();
        }
    }

    /** The store's root allocator refuses to close while anything is allocated. */
    @Test
    void freesNativeMemoryOfScansThatStopHalfway() throws IOException {
        try (LanceDataset dataset = new LanceDataset(folder, new Random(2))) {
            dataset.commit(SCHEMA, 0, rows(5000, 0), new long[0]);
            try (RowSnapshot rows = dataset.rows.open(dataset.version, SCHEMA);
                    RowCursor cursor = rows.scan(Projection.ALL, 0, 1)) {
                assertThat(cursor.next()).isNotNull();
            }
            LanceRowFileWriter writer =
                    (LanceRowFileWriter) dataset.rows.newFile(folder.resolve("half"), SCHEMA);
            rows(3, 0).forEach(row -> append(writer, row));
            writer.close();
        }
    }

    @Test
    void manyWritersMayCreateTheDatasetAtOnce() throws Exception {
        int writers = 6;
        ExecutorService pool = Executors.newFixedThreadPool(writers);
        try (LocalObjectStore objects = LocalObjectStore.open(folder)) {
            List<Callable<Boolean>> racers = new ArrayList<>();
            for (int i = 0; i < writers; i++) {
                racers.add(
                        () -> {
                            try (LanceRowStore rows =
                                    new LanceRowStore(objects, LanceDataset.ROOT)) {
                                rows.ensureDataset();
                                rows.ensureDataset();
                                return true;
                            }
                        });
            }
            for (Future<Boolean> racer : pool.invokeAll(racers)) {
                assertThat(racer.get()).isTrue();
            }
        } finally {
            pool.shutdownNow();
        }
    }

    @Test
    void aNullInsideAVectorIsCorrupt() {
        try (BufferAllocator allocator = new RootAllocator();
                FixedSizeListVector column = FixedSizeListVector.empty("_vector_0", 2, allocator)) {
            column.addOrGetVector(FieldType.nullable(MinorType.FLOAT4.getType()));
            column.allocateNew();
            Float4Vector data = (Float4Vector) column.getDataVector();
            data.setSafe(0, 1f);
            data.setNull(1);
            column.setNotNull(0);
            column.setValueCount(1);
            assertThatThrownBy(() -> RowDecoder.dense(column, 0, "_vector_0"))
                    .isInstanceOf(CorruptException.class)
                    .hasMessageContaining("_vector_0: a null element inside a vector");
        }
    }

    private static void append(LanceRowFileWriter writer, Row row) {
        try {
            writer.append(row);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static List<Long> ids(LanceDataset dataset, long version) throws IOException {
        List<Long> ids = new ArrayList<>();
        try (RowSnapshot rows = dataset.rows.open(version, SCHEMA);
                RowCursor cursor = rows.scan(Projection.KEYS, 0, 1)) {
            for (StoredRow row = cursor.next(); row != null; row = cursor.next()) {
                ids.add(row.rowId());
            }
        }
        return ids;
    }

    private static List<Row> rows(int count, int firstKey) {
        List<Row> rows = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            JsonObject source = new JsonObject(Map.of("n", JsonInteger.of(i)));
            PrimaryKey key = PrimaryKey.ofString("key-" + (firstKey + i));
            Document document = new Document(key, source, Map.of(), Map.of());
            rows.add(new Row(document, Json.print(source), 0, i));
        }
        return rows;
    }
}
