package io.loam.flink.connector;

import io.loam.codec.Ulid;
import io.loam.codec.json.Json;
import io.loam.codec.manifest.CollectionManifest;
import io.loam.codec.manifest.RowIdRuns;
import io.loam.codec.manifest.SplitRef;
import io.loam.codec.record.Document;
import io.loam.store.CollectionHandle;
import io.loam.store.LiveManifest;
import io.loam.store.spi.Projection;
import io.loam.store.spi.RowCursor;
import io.loam.store.spi.RowSnapshot;
import io.loam.store.spi.SplitBuilder;
import io.loam.store.spi.StoredRow;
import io.loam.store.testing.MaintenanceCommit;

import java.io.IOException;
import java.nio.file.Path;
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
        CollectionManifest merged =
                MaintenanceCommit.child(
                        live, List.of(mergedSplit(live.manifest())), handle.metastore().clockMs());
        MaintenanceCommit.publish(handle, merged);
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
        try (SplitBuilder builder = handle.splits().newSplit(ulid, handle.schema(), directory)) {
            for (StoredRow row : rows.values()) {
                builder.add(row.rowId(), document(row));
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
                    RowIdRuns.of(rows.keySet().stream().mapToLong(Long::longValue).toArray()),
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
}
