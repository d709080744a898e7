package io.loam.store.maintain;

import io.loam.codec.CorruptException;
import io.loam.codec.Ulid;
import io.loam.codec.json.Json;
import io.loam.codec.manifest.RowIdRange;
import io.loam.codec.manifest.RowIdRuns;
import io.loam.codec.manifest.SplitRef;
import io.loam.codec.record.Document;
import io.loam.codec.schema.CollectionSchema;
import io.loam.codec.staged.UnitDescriptor;
import io.loam.store.CollectionHandle;
import io.loam.store.FailPoint;
import io.loam.store.LiveManifest;
import io.loam.store.LocalFiles;
import io.loam.store.StoredObjects;
import io.loam.store.maintain.FinishedWork.MergedSplits;
import io.loam.store.maintain.MaintenanceTask.MergeSplits;
import io.loam.store.read.DeletedDocs;
import io.loam.store.spi.Projection;
import io.loam.store.spi.RowSnapshot;
import io.loam.store.spi.SplitBuilder;
import io.loam.store.spi.StoredRow;

import org.roaringbitmap.RoaringBitmap;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Merges splits by indexing their live rows anew, in ascending row id, under the schema that the
 * splits have: fields that came later stay as they are in those splits, not indexed.
 */
final class SplitMerger {
    private final CollectionHandle handle;
    private final MaintenanceOptions options;
    private final Path workDir;

    SplitMerger(CollectionHandle handle, MaintenanceOptions options, Path workDir) {
        this.handle = handle;
        this.options = options;
        this.workDir = workDir;
    }

    MergedSplits run(MergeSplits task) throws IOException {
        Ulid unit = handle.ulids().next();
        long createdAtMs = handle.ulids().timeMs();
        LiveManifest live = handle.live();
        List<SplitRef> inputs = inputs(task, live);
        LiveRows rows = LiveRows.of(inputs, deleted(inputs));
        if (rows.count() == 0) {
            return new MergedSplits(task.inputs(), null, unit, createdAtMs);
        }
        Path directory = Files.createDirectories(workDir.resolve(unit.toString()));
        try {
            return build(task, live, inputs, rows, unit, createdAtMs, directory);
        } finally {
            LocalFiles.delete(directory);
        }
    }

    private static List<SplitRef> inputs(MergeSplits task, LiveManifest live)
            throws ObsoleteTaskException {
        Set<Ulid> missing = new HashSet<>(task.inputs());
        List<SplitRef> inputs = new ArrayList<>();
        for (SplitRef split : live.manifest().splits()) {
            if (missing.remove(split.ulid())) {
                inputs.add(split);
            }
        }
        if (!missing.isEmpty()) {
            throw new ObsoleteTaskException(
                    task.describe()
                            + ": version "
                            + live.version()
                            + " has no split "
                            + missing.iterator().next());
        }
        return inputs;
    }

    private List<RoaringBitmap> deleted(List<SplitRef> inputs) throws IOException {
        List<RoaringBitmap> deleted = new ArrayList<>();
        for (SplitRef input : inputs) {
            deleted.add(DeletedDocs.load(handle.objects(), input));
        }
        return deleted;
    }

    /** The schema all inputs share. */
    private CollectionSchema schema(List<SplitRef> inputs) throws IOException {
        SplitRef first = inputs.get(0);
        CollectionSchema shared = handle.splits().schemaOf(first, handle.schema());
        for (SplitRef input : inputs) {
            if (input.schemaVersion() != first.schemaVersion()
                    || !handle.splits().schemaOf(input, handle.schema()).equals(shared)) {
                throw new CorruptException(
                        "splits "
                                + first.ulid()
                                + " of schema version "
                                + first.schemaVersion()
                                + " and "
                                + input.ulid()
                                + " of schema version "
                                + input.schemaVersion()
                                + " do not have the same fields and cannot be merged");
            }
        }
        return shared;
    }

    private MergedSplits build(
            MergeSplits task,
            LiveManifest live,
            List<SplitRef> inputs,
            LiveRows rows,
            Ulid unit,
            long createdAtMs,
            Path directory)
            throws IOException {
        CollectionSchema schema = schema(inputs);
        Ulid ulid = handle.ulids().next();
        List<RowIdRange> ranges = HoleFilling.fill(rows.ranges(), LiveRows.all(inputs));
        long documents = RowIdRuns.count(ranges);
        try (SplitBuilder builder = handle.splits().newSplit(ulid, schema, directory);
                RowSnapshot snapshot = handle.rows().open(live.manifest(), handle.schema())) {
            Projection projection = new Projection(true, false, !schema.sparseVectors().isEmpty());
            FilledSplit filled = new FilledSplit(builder, ranges);
            rows.<IOException>forEachChunk(
                    options.rowsPerRead(), ids -> add(snapshot.takeAll(ids, projection), filled));
            SplitBuilder.Built built = builder.finish();
            if (built.docCount() != documents) {
                throw new IOException(
                        task.describe()
                                + ": "
                                + documents
                                + " documents with placeholders, but the split built of them has "
                                + built.docCount());
            }
            upload(unit, ulid, createdAtMs, built.file());
            SplitRef split =
                    new SplitRef(
                            ulid,
                            built.docCount(),
                            0,
                            built.bytes(),
                            built.footerStart(),
                            built.bytes(),
                            ranges,
                            "",
                            inputs.get(0).schemaVersion(),
                            createdAtMs,
                            0,
                            built.footerCrc32c(),
                            documents - rows.count());
            return new MergedSplits(task.inputs(), split, unit, createdAtMs);
        }
    }

    private static void add(List<StoredRow> rows, FilledSplit split) throws IOException {
        if (Thread.currentThread().isInterrupted()) {
            throw new InterruptedIOException("interrupted while merging splits");
        }
        for (StoredRow row : rows) {
            split.add(
                    row.rowId(),
                    new Document(
                            row.key(),
                            Json.parseObject(row.source()),
                            Map.of(),
                            row.sparseVectors() == null ? Map.of() : row.sparseVectors()));
        }
    }

    private void upload(Ulid unit, Ulid split, long createdAtMs, Path file) throws IOException {
        String path = handle.paths().split(split);
        StoredObjects.announce(
                handle.objects(),
                handle.paths(),
                new UnitDescriptor(unit, unit, createdAtMs, List.of(path)));
        handle.objects().putFile(path, file);
        StoredObjects.stored(path);
        FailPoint.MAINTENANCE_UPLOADED.reach();
    }
}
