package io.loam.store.erase;

import io.loam.codec.Ulid;
import io.loam.codec.erase.ErasureRequest;
import io.loam.codec.erase.ErasureRequest.Tagged;
import io.loam.codec.manifest.CollectionManifest;
import io.loam.codec.manifest.ManifestCodec;
import io.loam.codec.manifest.ManifestProperties;
import io.loam.store.CollectionHandle;
import io.loam.store.LiveManifest;
import io.loam.store.commit.RowDeletion;
import io.loam.store.maintain.CollectionTaskRunner;
import io.loam.store.maintain.FinishedWork;
import io.loam.store.maintain.FinishedWork.ErasureStep;
import io.loam.store.maintain.MaintenanceOptions;
import io.loam.store.maintain.MaintenanceTask;
import io.loam.store.maintain.RewrittenVersion;
import io.loam.store.metastore.MetastoreException;
import io.loam.store.metastore.MetastoreException.Code;
import io.loam.store.metastore.Tag;
import io.loam.store.object.ObjectStore.Put;
import io.loam.store.spi.Projection;
import io.loam.store.spi.RowCursor;
import io.loam.store.spi.RowSnapshot;
import io.loam.store.spi.StoredRow;
import io.loam.store.tag.Tags;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import java.util.stream.LongStream;

/**
 * Lets older tags name copies of their versions that hold nothing of an erasure: the documents are
 * deleted of the version, what holds them is written anew, and indexes, hot artifacts, dead letters
 * and the key delta are left out. A copy has the version's number and time; it says so in its
 * properties, so that it is not made twice.
 */
final class TaggedCopies {
    private final CollectionHandle handle;
    private final ErasureRequest request;
    private final ErasedKeys keys;
    private final MaintenanceOptions options;
    private final Path workDir;

    TaggedCopies(
            CollectionHandle handle,
            ErasureRequest request,
            ErasedKeys keys,
            MaintenanceOptions options,
            Path workDir) {
        this.handle = handle;
        this.request = request;
        this.keys = keys;
        this.options = options;
        this.workDir = workDir;
    }

    /**
     * Of every tag below a version. The version's elders cannot be tagged any more from now on.
     *
     * @param below the version that released history
     * @param progress told of every tag
     */
    void run(long below, Consumer<String> progress) throws IOException {
        List<Tag> tags = handle.metastore().releaseVersions(handle.info().id(), below);
        long clockMs = handle.metastore().clockMs();
        for (Tag tag : tags) {
            if (tag.version() >= below || tag.isExpired(clockMs)) {
                continue;
            }
            try {
                if (request.tagged() == Tagged.DROP) {
                    handle.metastore().deleteTag(handle.info().id(), tag.name());
                    progress.accept("tag " + tag.name() + " is deleted");
                } else if (rewrite(tag)) {
                    progress.accept("tag " + tag.name() + " names a copy");
                }
            } catch (MetastoreException e) {
                if (e.code() != Code.TAG_NOT_FOUND) { // deleted meanwhile
                    throw e;
                }
            }
        }
    }

    private boolean rewrite(Tag tag) throws IOException {
        CollectionManifest tagged = new Tags(handle).open(tag);
        String before = tagged.properties().get(ManifestProperties.RELEASES_HISTORY);
        if (request.id().toString().equals(before)) {
            return false;
        }
        CollectionManifest copy = copy(tag.path(), tagged);
        String path = handle.paths().manifest(tagged.version(), handle.ulids().next());
        RewrittenVersion.store(handle, List.of(new Put(path, ManifestCodec.encode(copy))));
        handle.metastore().replaceTagged(handle.info().id(), tag.name(), tag.path(), path);
        return true;
    }

    private CollectionManifest copy(String path, CollectionManifest tagged) throws IOException {
        CollectionManifest purged = withoutDocuments(tagged);
        try (CollectionHandle pinned =
                handle.pinnedAt(new LiveManifest(tagged.version(), path, purged))) {
            PurgeScan scan = new PurgeScan(pinned, keys);
            List<MaintenanceTask> tasks = scan.tasks(purged);
            if (!tasks.isEmpty()) {
                CollectionTaskRunner runner = new CollectionTaskRunner(pinned, options, workDir);
                List<FinishedWork> works = new ArrayList<>();
                for (MaintenanceTask task : tasks) {
                    works.add(runner.run(task));
                }
                purged = RewrittenVersion.of(pinned, works, options);
                works.forEach(scan::built);
            }
            return released(path, tagged, purged, scan);
        }
    }

    private CollectionManifest withoutDocuments(CollectionManifest tagged) throws IOException {
        long[] rows = rows(tagged);
        if (rows.length == 0) {
            return tagged;
        }
        RowDeletion deletion =
                RowDeletion.of(
                        tagged, rows, handle.metastore().clockMs(), RewrittenVersion.io(handle));
        RewrittenVersion.store(handle, deletion.objects());
        return deletion.manifest();
    }

    private long[] rows(CollectionManifest tagged) throws IOException {
        LongStream.Builder rows = LongStream.builder();
        try (RowSnapshot snapshot = handle.rows().open(tagged, handle.schema());
                RowCursor cursor = snapshot.scan(Projection.KEYS, 0, 1)) {
            for (StoredRow row = cursor.next(); row != null; row = cursor.next()) {
                if (keys.holds(row.key().canonical())) {
                    rows.add(row.rowId());
                }
            }
        }
        return rows.build().toArray();
    }

    private CollectionManifest released(
            String path, CollectionManifest tagged, CollectionManifest purged, PurgeScan scan)
            throws IOException {
        try (CollectionHandle pinned =
                handle.pinnedAt(new LiveManifest(purged.version(), path, purged))) {
            Ulid unit = handle.ulids().next();
            ErasureStep release =
                    new ErasureStep(
                            request.id(),
                            request.offsets(),
                            scan.clean(Set.of()),
                            unit,
                            unit.timeMs());
            CollectionManifest last = RewrittenVersion.of(pinned, List.of(release), options);
            return new CollectionManifest(
                    tagged.version(),
                    tagged.parentVersion(),
                    tagged.collectionId(),
                    tagged.schemaVersion(),
                    tagged.createdAtMs(),
                    last.lanceVersion(),
                    last.splits(),
                    last.vectorIndexes(),
                    last.hotArtifacts(),
                    tagged.applied(),
                    last.liveDocCount(),
                    tagged.parentManifest(),
                    tagged.kind(),
                    "",
                    "",
                    tagged.deadLettersTotal(),
                    tagged.skippedOffsetsTotal(),
                    last.scalarIndexes(),
                    null,
                    "",
                    last.properties(),
                    tagged.rowIdHighWater());
        }
    }
}
