package io.loam.store.sim;

import io.loam.codec.Ulid;
import io.loam.codec.json.Json;
import io.loam.codec.manifest.CollectionManifest;
import io.loam.codec.manifest.ManifestCodec;
import io.loam.codec.manifest.RowIdRange;
import io.loam.codec.manifest.RowIdRuns;
import io.loam.codec.manifest.SplitRef;
import io.loam.codec.manifest.TaskKeys;
import io.loam.codec.record.Document;
import io.loam.store.CollectionHandle;
import io.loam.store.LiveManifest;
import io.loam.store.gc.GcOptions;
import io.loam.store.metastore.Lease;
import io.loam.store.metastore.PointerSwap;
import io.loam.store.spi.Projection;
import io.loam.store.spi.RowCursor;
import io.loam.store.spi.RowSnapshot;
import io.loam.store.spi.SplitBuilder;
import io.loam.store.spi.StoredRow;
import io.loam.store.testing.MaintenanceCommit;

import java.io.IOException;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Publishes versions that change no document: a bare one, or two splits rewritten as one without
 * what is deleted of them. Loses to whoever was faster, and tries again later.
 */
final class MaintenanceProcess {
    private final World world;
    private final String owner;

    MaintenanceProcess(World world, String owner) {
        this.world = world;
        this.owner = owner;
    }

    void run() {
        while (true) {
            world.scheduler.sleep(1 + world.random.nextInt(40_000));
            try {
                publish(world.open());
            } catch (IOException e) {
                world.scheduler.note("  fails: " + e.getMessage());
            }
        }
    }

    private void publish(CollectionHandle handle) throws IOException {
        String key = TaskKeys.lease(TaskKeys.mergeSplits(world.info.id()));
        Lease lease = handle.metastore().acquireLease(key, owner, 30_000);
        long startedMs = handle.metastore().clockMs();
        LiveManifest live = handle.live();
        if (live.version() == 0) {
            return;
        }
        List<SplitRef> splits = live.manifest().splits();
        if (splits.size() > 1 && world.random.nextInt(3) > 0) {
            splits = merged(handle, live.manifest(), startedMs);
        }
        CollectionManifest child = MaintenanceCommit.child(live, splits, startedMs);
        String path = handle.paths().manifest(child.version(), handle.ulids().next(startedMs));
        handle.objects().put(path, ManifestCodec.encode(child));
        handle.metastore()
                .swapPointer(
                        new PointerSwap(
                                world.info.namespaceId(),
                                handle.paths().pointerKey(),
                                live.version(),
                                path,
                                key,
                                lease.epoch(),
                                startedMs,
                                GcOptions.LONGEST_COMMIT_MS));
    }

    private List<SplitRef> merged(
            CollectionHandle handle, CollectionManifest manifest, long startedMs)
            throws IOException {
        int at = world.random.nextInt(manifest.splits().size() - 1);
        List<SplitRef> pair = manifest.splits().subList(at, at + 2);
        Map<Long, Document> documents = new TreeMap<>();
        try (RowSnapshot rows = handle.rows().open(manifest.lanceVersion(), handle.schema());
                RowCursor cursor = rows.scan(Projection.ALL, 0, 1)) {
            for (StoredRow row = cursor.next(); row != null; row = cursor.next()) {
                long id = row.rowId();
                boolean ours =
                        pair.stream()
                                .flatMap(split -> split.ranges().stream())
                                .anyMatch(range -> range.start() <= id && id < range.end());
                if (ours) {
                    documents.put(
                            id,
                            new Document(
                                    row.key(), Json.parseObject(row.source()), Map.of(), Map.of()));
                }
            }
        }
        List<SplitRef> splits = new ArrayList<>(manifest.splits());
        splits.subList(at, at + 2).clear();
        splits.add(at, build(handle, documents, startedMs));
        return splits;
    }

    private SplitRef build(CollectionHandle handle, Map<Long, Document> documents, long startedMs)
            throws IOException {
        Ulid ulid = handle.ulids().next(startedMs);
        try (SplitBuilder builder = handle.splits().newSplit(ulid, handle.schema(), world.dir)) {
            for (Map.Entry<Long, Document> entry : documents.entrySet()) {
                builder.add(entry.getKey(), entry.getValue());
            }
            SplitBuilder.Built built = builder.finish();
            byte[] bytes = Files.readAllBytes(built.file());
            Files.delete(built.file());
            handle.objects().put(handle.paths().split(ulid), bytes);
            List<RowIdRange> ranges =
                    RowIdRuns.of(documents.keySet().stream().mapToLong(Long::longValue).toArray());
            return new SplitRef(
                    ulid,
                    documents.size(),
                    0,
                    built.bytes(),
                    built.footerStart(),
                    built.bytes(),
                    ranges,
                    "",
                    handle.schema().version(),
                    startedMs,
                    1,
                    built.footerCrc32c());
        }
    }
}
