package io.loam.store.maintain;

import io.loam.codec.CorruptException;
import io.loam.codec.Crc32c;
import io.loam.codec.Ulid;
import io.loam.codec.json.JsonValue.JsonObject;
import io.loam.codec.lance.DataFileName;
import io.loam.codec.lance.LanceManifest;
import io.loam.codec.lance.LanceManifest.Compactable;
import io.loam.codec.lance.RowIdEncoder;
import io.loam.codec.manifest.RowIdRange;
import io.loam.codec.record.Document;
import io.loam.codec.schema.CollectionSchema;
import io.loam.codec.staged.UnitDescriptor;
import io.loam.store.CollectionHandle;
import io.loam.store.FailPoint;
import io.loam.store.LiveManifest;
import io.loam.store.LocalFiles;
import io.loam.store.StoredObjects;
import io.loam.store.maintain.FinishedWork.CompactedFragments;
import io.loam.store.maintain.FinishedWork.NewFragment;
import io.loam.store.maintain.MaintenanceTask.CompactFragments;
import io.loam.store.object.DataFileCheck;
import io.loam.store.spi.Row;
import io.loam.store.spi.RowFileWriter;
import io.loam.store.spi.RowFileWriter.Written;
import io.loam.store.spi.RowSnapshot;
import io.loam.store.spi.StoredRow;

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
 * Writes the live rows of fragments into one data file, in ascending row id. The file has every
 * vector column of the schema as it is now; rows of older fragments lack the later ones.
 */
final class FragmentCompactor {
    /** The manifest is written anew with every commit; with so many bytes it stays small. */
    static final int MOST_INLINE_BYTES = 512;

    private final CollectionHandle handle;
    private final Path workDir;

    FragmentCompactor(CollectionHandle handle, Path workDir) {
        this.handle = handle;
        this.workDir = workDir;
    }

    CompactedFragments run(CompactFragments task) throws IOException {
        Ulid unit = handle.ulids().next();
        long createdAtMs = handle.ulids().timeMs();
        LiveManifest live = handle.live();
        List<Compactable> inputs = inputs(task, live);
        List<Long> ids = inputs.stream().map(input -> input.fragment().id()).toList();
        long rows = inputs.stream().mapToLong(input -> input.fragment().liveRows()).sum();
        if (rows == 0) {
            return new CompactedFragments(ids, List.of(), unit, createdAtMs);
        }
        Path directory = Files.createDirectories(workDir.resolve(unit.toString()));
        try {
            Path file = directory.resolve("rows.lance");
            NewFragment written = write(task, live, inputs, rows, file, unit);
            upload(unit, createdAtMs, written, file);
            return new CompactedFragments(ids, List.of(written), unit, createdAtMs);
        } finally {
            LocalFiles.delete(directory);
        }
    }

    private List<Compactable> inputs(CompactFragments task, LiveManifest live) throws IOException {
        Set<Long> missing = new HashSet<>(task.fragmentIds());
        List<Compactable> inputs = new ArrayList<>();
        if (live.manifest().lanceVersion() != 0) {
            LanceManifest version = handle.rowVersions().read(live.manifest());
            for (Compactable fragment : version.compactable()) {
                if (missing.remove(fragment.fragment().id())) {
                    inputs.add(fragment);
                }
            }
        }
        if (!missing.isEmpty()) {
            throw new ObsoleteTaskException(
                    task.describe()
                            + ": version "
                            + live.version()
                            + " has no fragment "
                            + missing.iterator().next());
        }
        return inputs;
    }

    private NewFragment write(
            CompactFragments task,
            LiveManifest live,
            List<Compactable> inputs,
            long rows,
            Path file,
            Ulid unit)
            throws IOException {
        CollectionSchema schema = handle.schema();
        Ids ids = new Ids();
        Written written;
        try (RowFileWriter writer = handle.rows().newFile(file, schema);
                RowSnapshot snapshot = handle.rows().open(live.manifest(), schema);
                RowMerge merged = new RowMerge(snapshot, inputs)) {
            for (StoredRow row = merged.next(); row != null; row = merged.next()) {
                writer.append(row(row));
                ids.add(row.rowId());
            }
            if (ids.count != rows) {
                throw new CorruptException(
                        task.describe()
                                + ": "
                                + live.path()
                                + " has "
                                + rows
                                + " live rows in them, but "
                                + ids.count
                                + " were read");
            }
            written = writer.finish();
        }
        byte[] rowIds = RowIdEncoder.encode(ids.ranges());
        return new NewFragment(
                DataFileName.of(unit, DataFileCheck.crc32c(file)),
                written.bytes(),
                written.columns(),
                rows,
                rowIds,
                rowIds.length <= MOST_INLINE_BYTES
                        ? null
                        : DataFileName.ofRowIds(unit, Crc32c.of(rowIds)));
    }

    /** The source stays as it was printed; a row's document says its key and vectors only. */
    private static Row row(StoredRow row) throws IOException {
        if (Thread.currentThread().isInterrupted()) {
            throw new InterruptedIOException("interrupted while compacting rows");
        }
        Document document =
                new Document(
                        row.key(), new JsonObject(Map.of()), row.vectors(), row.sparseVectors());
        return new Row(document, row.source(), row.ingestPartition(), row.ingestOffset());
    }

    /** Ascending ids as maximal ranges. */
    private static final class Ids {
        private final List<RowIdRange> closed = new ArrayList<>();
        private long start;
        private long end;
        private long count;

        void add(long id) {
            if (count > 0 && id != end) {
                closed.add(new RowIdRange(start, end));
            }
            if (count == 0 || id != end) {
                start = id;
            }
            end = id + 1;
            count++;
        }

        List<RowIdRange> ranges() {
            List<RowIdRange> ranges = new ArrayList<>(closed);
            ranges.add(new RowIdRange(start, end));
            return ranges;
        }
    }

    private void upload(Ulid unit, long createdAtMs, NewFragment written, Path file)
            throws IOException {
        String data = handle.paths().lanceData(written.dataFile());
        String rowIds = handle.paths().lance() + written.rowIdFile();
        boolean hasRowIds = written.rowIdFile() != null;
        List<String> announced = hasRowIds ? List.of(data, rowIds) : List.of(data);
        StoredObjects.announce(
                handle.objects(),
                handle.paths(),
                new UnitDescriptor(unit, unit, createdAtMs, announced));
        handle.objects().putFile(data, file);
        StoredObjects.stored(data);
        if (hasRowIds) {
            handle.objects().put(rowIds, written.rowIds());
        }
        FailPoint.MAINTENANCE_UPLOADED.reach();
    }
}
