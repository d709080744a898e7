package io.loam.flink.connector;

import io.loam.codec.Ulid;
import io.loam.codec.json.Json;
import io.loam.codec.manifest.CollectionManifest;
import io.loam.codec.manifest.CommitKind;
import io.loam.codec.manifest.ManifestCodec;
import io.loam.codec.manifest.RowIdRange;
import io.loam.codec.manifest.SplitRef;
import io.loam.codec.record.Document;
import io.loam.store.CollectionHandle;
import io.loam.store.LiveManifest;
import io.loam.store.metastore.PointerSwap;
import io.loam.store.spi.Projection;
import io.loam.store.spi.RowCursor;
import io.loam.store.spi.RowSnapshot;
import io.loam.store.spi.SplitBuilder;
import io.loam.store.spi.StoredRow;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;

/** Another process that maintains a collection: it makes one split of all, and changes no row. */
final class Maintenance {
    private final CollectionHandle handle;
    private final Path directory;

    Maintenance(CollectionHandle handle, Path directory) {
        this.handle = handle;
        this.directory = directory;
    }

    /** Publishes a version of the same rows in one split. */
    CollectionManifest merge() throws IOException {
        LiveManifest live = handle.live();
        CollectionManifest parent = live.manifest();
        CollectionManifest merged =
                new CollectionManifest(
                        parent.version() + 1,
                        parent.version(),
                        parent.collectionId(),
                        parent.schemaVersion(),
                        handle.metastore().clockMs(),
                        parent.lanceVersion(),
                        List.of(mergedSplit(parent)),
                        parent.vectorIndexes(),
                        parent.hotArtifacts(),
                        parent.applied(),
                        parent.liveDocCount(),
                        live.path(),
                        CommitKind.MAINTENANCE,
                        "",
                        "",
                        parent.deadLettersTotal(),
                        parent.skippedOffsetsTotal(),
                        parent.scalarIndexes(),
                        null,
                        "",
                        parent.properties(),
                        parent.rowIdHighWater());
        publish(merged);
        return merged;
    }

    private SplitRef mergedSplit(CollectionManifest parent) throws IOException {
        TreeMap<Long, StoredRow> rows = new TreeMap<>();
        try (RowSnapshot snapshot = handle.rows().open(parent.lanceVersion(), handle.schema());
                RowCursor cursor = snapshot.scan(Projection.ALL, 0, 1)) {
            for (StoredRow row = cursor.next(); row != null; row = cursor.next()) {
                rows.put(row.rowId(), row);
            }
        }
        Ulid ulid = handle.ulids().next();
        List<RowIdRange> ranges = new ArrayList<>();
        try (SplitBuilder builder = handle.splits().newSplit(ulid, handle.schema(), directory)) {
            for (StoredRow row : rows.values()) {
                builder.add(row.rowId(), document(row));
                append(ranges, row.rowId());
            }
            SplitBuilder.Built built = builder.finish();
            handle.objects().putFile(handle.paths().split(ulid), built.file());
            return new SplitRef(
                    ulid,
                    rows.size(),
                    0,
                    built.bytes(),
                    built.footerStart(),
                    built.bytes(),
                    ranges,
                    "",
                    handle.schema().version(),
                    ulid.timeMs(),
                    1,
                    built.footerCrc32c());
        }
    }

    private static Document document(StoredRow row) {
        return new Document(
                row.key(), Json.parseObject(row.source()), row.vectors(), row.sparseVectors());
    }

    private static void append(List<RowIdRange> ranges, long rowId) {
        int last = ranges.size() - 1;
        if (last >= 0 && ranges.get(last).end() == rowId) {
            ranges.set(last, new RowIdRange(ranges.get(last).start(), rowId + 1));
        } else {
            ranges.add(new RowIdRange(rowId, rowId + 1));
        }
    }

    private void publish(CollectionManifest manifest) throws IOException {
        String path = handle.paths().manifest(manifest.version(), handle.ulids().next());
        handle.objects().put(path, ManifestCodec.encode(manifest));
        String lease = "task/collection-merge/" + manifest.collectionId();
        long epoch = handle.metastore().acquireLease(lease, "merge", 60_000).epoch();
        handle.metastore()
                .swapPointer(
                        new PointerSwap(
                                handle.info().namespaceId(),
                                handle.paths().pointerKey(),
                                manifest.parentVersion(),
                                path,
                                lease,
                                epoch,
                                manifest.createdAtMs(),
                                600_000));
    }
}
