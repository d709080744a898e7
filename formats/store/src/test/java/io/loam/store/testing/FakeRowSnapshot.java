package io.loam.store.testing;

import io.loam.codec.CorruptException;
import io.loam.codec.key.PrimaryKey;
import io.loam.codec.lance.LanceDeletions;
import io.loam.codec.lance.LanceFragment;
import io.loam.codec.lance.LanceManifest;
import io.loam.codec.manifest.CollectionPaths;
import io.loam.codec.postcard.PostcardReader;
import io.loam.codec.record.Document;
import io.loam.codec.record.Operation;
import io.loam.codec.record.RecordCodec;
import io.loam.codec.schema.CollectionSchema;
import io.loam.codec.schema.CollectionSchema.Distance;
import io.loam.store.object.ObjectStore;
import io.loam.store.spi.Projection;
import io.loam.store.spi.RowCursor;
import io.loam.store.spi.RowSnapshot;
import io.loam.store.spi.ScoredRow;
import io.loam.store.spi.StoredRow;

import org.roaringbitmap.RoaringBitmap;

import javax.annotation.Nullable;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import java.util.stream.LongStream;

/** All rows of a version, read when it is opened. */
final class FakeRowSnapshot implements RowSnapshot {
    private record Live(
            long rowId,
            int fragment,
            Document document,
            byte[] source,
            int partition,
            long offset) {
        StoredRow project(Projection projection) {
            return new StoredRow(
                    rowId,
                    document.key(),
                    projection.source() ? source : null,
                    projection.sequence() ? partition : 0,
                    projection.sequence() ? offset : 0,
                    projection.vectors() ? document.vectors() : null,
                    projection.vectors() ? document.sparseVectors() : null);
        }
    }

    private final CollectionSchema schema;
    private final List<Live> rows = new ArrayList<>();

    private FakeRowSnapshot(CollectionSchema schema) {
        this.schema = schema;
    }

    static String versionPath(String dataset, long version) {
        return dataset + "/" + CollectionPaths.lanceVersionFile(version);
    }

    static FakeRowSnapshot ofFile(
            ObjectStore objects,
            String dataset,
            String dataFile,
            long firstRowId,
            long rows,
            CollectionSchema schema)
            throws IOException {
        FakeRowSnapshot snapshot = new FakeRowSnapshot(schema);
        long[] ids = new long[(int) rows];
        Arrays.setAll(ids, i -> firstRowId + i);
        String path = dataset + "/data/" + dataFile;
        snapshot.read(objects.get(path), path, 0, ids, new RoaringBitmap());
        return snapshot;
    }

    static FakeRowSnapshot ofVersion(
            ObjectStore objects, String dataset, long version, CollectionSchema schema)
            throws IOException {
        FakeRowSnapshot snapshot = new FakeRowSnapshot(schema);
        if (version == 0) {
            return snapshot;
        }
        String path = versionPath(dataset, version);
        byte[] bytes = objects.get(path);
        LanceManifest parsed = LanceManifest.parse(bytes, path);
        Map<String, byte[]> rowIds = new HashMap<>();
        for (String name : parsed.rowIdFiles()) {
            rowIds.put(name, objects.get(dataset + "/" + name));
        }
        LanceManifest manifest = parsed.withRowIds(rowIds::get);
        for (LanceFragment fragment : manifest.fragments()) {
            long[] ids =
                    manifest.rowIds(fragment.id()).stream()
                            .flatMapToLong(range -> LongStream.range(range.start(), range.end()))
                            .toArray();
            snapshot.addFragment(objects, dataset, fragment, ids);
        }
        return snapshot;
    }

    private void addFragment(
            ObjectStore objects, String dataset, LanceFragment fragment, long[] ids)
            throws IOException {
        RoaringBitmap deleted = new RoaringBitmap();
        if (fragment.deletionFile() != null) {
            String path = dataset + "/" + fragment.deletionFile();
            deleted =
                    LanceDeletions.decode(
                            objects.get(path),
                            fragment.deletedRows(),
                            fragment.physicalRows(),
                            path);
        }
        String path = dataset + "/" + fragment.dataFiles().get(0);
        read(objects.get(path), path, (int) fragment.id(), ids, deleted);
    }

    private void read(byte[] bytes, String path, int fragment, long[] ids, RoaringBitmap deleted) {
        PostcardReader in = new PostcardReader(bytes);
        for (int i = 0; i < ids.length; i++) {
            byte[] key = in.bytes();
            Operation.Upsert upsert = (Operation.Upsert) RecordCodec.decode(key, in.bytes());
            Live row =
                    new Live(ids[i], fragment, upsert.document(), in.bytes(), in.u32(), in.u64());
            if (!deleted.contains(i)) {
                rows.add(row);
            }
        }
        if (in.remaining() > 0) {
            throw new CorruptException(path + " has more rows than its fragment");
        }
    }

    @Override
    public long countRows() {
        return rows.size();
    }

    @Override
    public List<StoredRow> take(long[] rowIds, Projection projection) {
        List<StoredRow> taken = new ArrayList<>();
        for (long id : rowIds) {
            rows.stream()
                    .filter(row -> row.rowId() == id)
                    .forEach(row -> taken.add(row.project(projection)));
        }
        return taken;
    }

    @Override
    public RowCursor scan(Projection projection, int part, int parts) {
        return scan(projection, row -> row.fragment() % parts == part);
    }

    @Override
    public RowCursor scanFile(Projection projection, int file) {
        return scan(projection, row -> row.fragment() == file);
    }

    private RowCursor scan(Projection projection, Predicate<Live> wanted) {
        Iterator<StoredRow> share =
                rows.stream().filter(wanted).map(row -> row.project(projection)).iterator();
        return new RowCursor() {
            @Override
            @Nullable
            public StoredRow next() {
                return share.hasNext() ? share.next() : null;
            }

            @Override
            public void close() {}
        };
    }

    @Override
    public List<ScoredRow> nearest(
            String vector,
            float[] query,
            int k,
            @Nullable long[] allowedRowIds,
            Projection projection) {
        Distance distance =
                schema.vectors().stream()
                        .filter(v -> v.name().equals(vector))
                        .findFirst()
                        .orElseThrow()
                        .distance();
        return rows.stream()
                .filter(row -> row.document().vectors().containsKey(vector))
                .filter(
                        row ->
                                allowedRowIds == null
                                        || Arrays.binarySearch(allowedRowIds, row.rowId()) >= 0)
                .map(
                        row ->
                                new ScoredRow(
                                        row.project(projection),
                                        between(
                                                distance,
                                                row.document().vectors().get(vector),
                                                query)))
                .sorted(
                        Comparator.comparing(ScoredRow::distance)
                                .thenComparing(
                                        scored -> scored.row().key(),
                                        Comparator.<PrimaryKey>naturalOrder()))
                .limit(k)
                .toList();
    }

    private static float between(Distance distance, float[] a, float[] b) {
        double dot = 0;
        double squares = 0;
        double differences = 0;
        double normA = 0;
        double normB = 0;
        for (int i = 0; i < a.length; i++) {
            dot += a[i] * b[i];
            squares += (a[i] - b[i]) * (a[i] - b[i]);
            differences += Math.abs(a[i] - b[i]);
            normA += a[i] * a[i];
            normB += b[i] * b[i];
        }
        switch (distance) {
            case COSINE:
                return (float) (1 - dot / Math.sqrt(normA * normB));
            case DOT:
                return (float) -dot;
            case EUCLID:
                return (float) squares;
            default:
                return (float) differences;
        }
    }

    @Override
    public void close() {}
}
