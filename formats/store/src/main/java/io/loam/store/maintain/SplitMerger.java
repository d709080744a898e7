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
import io.loam.store.spi.KnownDocument;
import io.loam.store.spi.Projection;
import io.loam.store.spi.RowSnapshot;
import io.loam.store.spi.SplitBuilder;
import io.loam.store.spi.SplitBuilder.Built;
import io.loam.store.spi.StoredRow;

import org.roaringbitmap.RoaringBitmap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import javax.annotation.Nullable;

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
 * splits have: fields that came later stay as they are in those splits, not indexed. Where joining
 * the segments of the splits gives the same, they are joined.
 */
final class SplitMerger {
    private static final Logger LOG = LoggerFactory.getLogger(SplitMerger.class);

    /** One merge that is under way. */
    private record Merge(
            MergeSplits task,
            List<SplitRef> inputs,
            LiveRows rows,
            List<RowIdRange> ranges,
            Ulid unit,
            Ulid ulid,
            long createdAtMs) {}

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
        List<RoaringBitmap> deleted = deleted(inputs);
        LiveRows rows = LiveRows.of(inputs, deleted);
        if (rows.count() == 0) {
            return new MergedSplits(task.inputs(), null, unit, createdAtMs, false);
        }
        List<RowIdRange> ranges = HoleFilling.fill(rows.ranges(), LiveRows.all(inputs));
        Merge merge =
                new Merge(task, inputs, rows, ranges, unit, handle.ulids().next(), createdAtMs);
        CollectionSchema schema = schema(inputs);
        Path directory = Files.createDirectories(workDir.resolve(unit.toString()));
        try (RowSnapshot snapshot = handle.rows().open(live.manifest(), handle.schema())) {
            Built joined = join(merge, deleted, snapshot, directory);
            return joined == null
                    ? indexAnew(merge, schema, snapshot, directory)
                    : upload(merge, joined, true);
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

    /** Null if rows have to be indexed anew; whatever is in doubt is. */
    @Nullable
    private Built join(
            Merge merge, List<RoaringBitmap> deleted, RowSnapshot snapshot, Path directory)
            throws IOException {
        JoinPlan plan =
                options.merge().join() ? JoinPlan.of(merge.inputs, deleted).orElse(null) : null;
        if (plan == null) {
            return null;
        }
        try {
            return handle.splits()
                    .join(
                            merge.ulid,
                            plan.inputs(),
                            known(plan, snapshot),
                            handle.schema(),
                            directory)
                    .orElse(null);
        } catch (InterruptedIOException e) {
            throw e;
        } catch (IOException | CorruptException e) {
            LOG.warn(
                    "{}: cannot join segments, so rows are indexed anew", merge.task.describe(), e);
            return null;
        }
    }

    private static List<KnownDocument> known(JoinPlan plan, RowSnapshot snapshot)
            throws IOException {
        List<JoinPlan.Sample> sample = plan.sample();
        List<StoredRow> rows =
                snapshot.takeAll(
                        sample.stream().mapToLong(JoinPlan.Sample::rowId).toArray(),
                        Projection.KEYS);
        List<KnownDocument> known = new ArrayList<>();
        for (int i = 0; i < rows.size(); i++) {
            StoredRow row = rows.get(i);
            known.add(new KnownDocument(sample.get(i).doc(), row.rowId(), row.key()));
        }
        return known;
    }

    private MergedSplits indexAnew(
            Merge merge, CollectionSchema schema, RowSnapshot snapshot, Path directory)
            throws IOException {
        try (SplitBuilder builder = handle.splits().newSplit(merge.ulid, schema, directory)) {
            Projection projection = new Projection(true, false, !schema.sparseVectors().isEmpty());
            FilledSplit filled = new FilledSplit(builder, merge.ranges);
            merge.rows.<IOException>forEachChunk(
                    options.rowsPerRead(), ids -> add(snapshot.takeAll(ids, projection), filled));
            return upload(merge, builder.finish(), false);
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

    private MergedSplits upload(Merge merge, Built built, boolean joined) throws IOException {
        long documents = RowIdRuns.count(merge.ranges);
        if (built.docCount() != documents) {
            throw new IOException(
                    merge.task.describe()
                            + ": "
                            + documents
                            + " documents with placeholders, but the split built of them has "
                            + built.docCount());
        }
        String path = handle.paths().split(merge.ulid);
        StoredObjects.announce(
                handle.objects(),
                handle.paths(),
                new UnitDescriptor(merge.unit, merge.unit, merge.createdAtMs, List.of(path)));
        handle.objects().putFile(path, built.file());
        StoredObjects.stored(path);
        FailPoint.MAINTENANCE_UPLOADED.reach();
        SplitRef split =
                new SplitRef(
                        merge.ulid,
                        documents,
                        0,
                        built.bytes(),
                        built.footerStart(),
                        built.bytes(),
                        merge.ranges,
                        "",
                        merge.inputs.get(0).schemaVersion(),
                        merge.createdAtMs,
                        0,
                        built.footerCrc32c(),
                        documents - merge.rows.count());
        return new MergedSplits(merge.task.inputs(), split, merge.unit, merge.createdAtMs, joined);
    }
}
