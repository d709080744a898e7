package io.loam.flink.operators;

import io.loam.codec.Ulid;
import io.loam.codec.key.PrimaryKey;
import io.loam.codec.lance.DataFileName;
import io.loam.codec.manifest.DeadLetter;
import io.loam.codec.manifest.RowIdRange;
import io.loam.codec.manifest.SplitRef;
import io.loam.codec.schema.CollectionSchema;
import io.loam.codec.staged.KeyChange;
import io.loam.codec.staged.UnitColumn;
import io.loam.store.CollectionHandle;
import io.loam.store.LocalFiles;
import io.loam.store.object.DataFileCheck;
import io.loam.store.spi.Row;
import io.loam.store.spi.RowFileWriter;
import io.loam.store.spi.SplitBuilder;

import javax.annotation.Nullable;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.TreeMap;

/**
 * Builds one unit on local disk from sealed batches: a data file, a split with the same documents
 * in the same order, the key changes and the dead letters. A key that changes more than once within
 * the unit is listed once, from its first row to its last; rows in between stay in the files and
 * are born deleted.
 */
final class UnitBuilder implements AutoCloseable {
    private final CollectionHandle collection;
    private final StageTimes times;
    private final Ulid unit;
    private final long createdAtMs;
    private final CollectionSchema schema;
    private final Path directory;
    private final TreeMap<PrimaryKey, KeyChange> changes = new TreeMap<>();
    private final List<DeadLetter> letters = new ArrayList<>();
    private long rowIdBase;
    private long firstRowId;
    private long rows;
    private long bytes;
    @Nullable private RowFileWriter rowWriter;
    @Nullable private SplitBuilder splitBuilder;
    @Nullable private Ulid split;

    /**
     * A built unit.
     *
     * @param dataFile name it will have in the collection, empty for a unit without rows
     */
    record Built(
            Ulid unit,
            long createdAtMs,
            long schemaVersion,
            long rowIdBase,
            long firstRowId,
            long rowCount,
            String dataFile,
            @Nullable Path localDataFile,
            long dataFileBytes,
            List<UnitColumn> columns,
            @Nullable SplitRef split,
            @Nullable Path localSplit,
            List<KeyChange> changes,
            List<DeadLetter> letters) {}

    /**
     * @param directory where files may be put; exists
     */
    UnitBuilder(
            CollectionHandle collection,
            CollectionSchema schema,
            Path directory,
            StageTimes times) {
        this.collection = collection;
        this.schema = schema;
        this.times = times;
        this.unit = collection.ulids().next();
        this.createdAtMs = collection.ulids().timeMs();
        this.directory = directory.resolve(unit.toString());
    }

    /** Whether a batch fits: same schema, and its rows follow those that are there. */
    boolean isContinuedBy(SealedBatch batch) {
        boolean follows =
                rows == 0 || batch.rows().isEmpty() || batch.firstRowId() == firstRowId + rows;
        return follows && batch.schema().version() == schema.version();
    }

    long bytes() {
        return bytes;
    }

    long rows() {
        return rows;
    }

    void add(SealedBatch batch) throws IOException {
        if (!batch.rows().isEmpty()) {
            addRows(batch);
        }
        for (KeyChange change : batch.changes()) {
            changes.merge(change.key(), change, UnitBuilder::join);
            bytes += change.key().canonical().length;
        }
        for (DeadLetter letter : batch.letters()) {
            letters.add(letter);
            bytes += letter.value() == null ? 0 : letter.value().length;
        }
    }

    private static KeyChange join(KeyChange earlier, KeyChange later) {
        return new KeyChange(earlier.key(), earlier.oldRow(), later.newRow());
    }

    private void addRows(SealedBatch batch) throws IOException {
        if (rowWriter == null) {
            begin(batch);
        } else if (batch.firstRowId() != firstRowId + rows) {
            throw new IllegalStateException(
                    "row "
                            + Long.toUnsignedString(batch.firstRowId())
                            + " does not follow row "
                            + Long.toUnsignedString(firstRowId + rows - 1)
                            + " within a unit");
        }
        long started = System.nanoTime();
        for (Row row : batch.rows()) {
            rowWriter.append(row);
            bytes += row.source().length;
        }
        long rowsDone = System.nanoTime();
        for (Row row : batch.rows()) {
            splitBuilder.add(firstRowId + rows++, row.document());
        }
        times.rowsNanos.add(rowsDone - started);
        times.textNanos.add(System.nanoTime() - rowsDone);
    }

    private void begin(SealedBatch batch) throws IOException {
        Files.createDirectories(directory);
        collection.rows().ensureDataset();
        firstRowId = batch.firstRowId();
        rowIdBase = batch.rowIdBase();
        rowWriter = collection.rows().newFile(localDataFile(), schema);
        split = collection.ulids().next();
        splitBuilder = collection.splits().newSplit(split, schema, directory);
    }

    private Path localDataFile() {
        return directory.resolve("rows.lance");
    }

    /** Finishes the files; they stay until the builder is closed. */
    Built finish() throws IOException {
        List<KeyChange> net =
                changes.values().stream()
                        .filter(change -> !Objects.equals(change.oldRow(), change.newRow()))
                        .toList();
        if (rows == 0) {
            return new Built(
                    unit,
                    createdAtMs,
                    schema.version(),
                    0,
                    0,
                    0,
                    "",
                    null,
                    0,
                    List.of(),
                    null,
                    null,
                    net,
                    letters);
        }
        long started = System.nanoTime();
        RowFileWriter.Written written = rowWriter.finish();
        long rowsDone = System.nanoTime();
        SplitBuilder.Built built = splitBuilder.finish();
        times.rowsNanos.add(rowsDone - started);
        times.textNanos.add(System.nanoTime() - rowsDone);
        if (written.rows() != rows || built.docCount() != rows) {
            throw new IOException(
                    "unit "
                            + unit
                            + " has "
                            + rows
                            + " rows, its data file "
                            + written.rows()
                            + ", its split "
                            + built.docCount());
        }
        return new Built(
                unit,
                createdAtMs,
                schema.version(),
                rowIdBase,
                firstRowId,
                rows,
                DataFileName.of(unit, DataFileCheck.crc32c(localDataFile())),
                localDataFile(),
                written.bytes(),
                written.columns(),
                splitRef(built),
                built.file(),
                net,
                letters);
    }

    private SplitRef splitRef(SplitBuilder.Built built) {
        return new SplitRef(
                split,
                rows,
                0,
                built.bytes(),
                built.footerStart(),
                built.bytes(),
                List.of(new RowIdRange(firstRowId, firstRowId + rows)),
                "",
                schema.version(),
                createdAtMs,
                0,
                built.footerCrc32c());
    }

    /** Deletes the local files. */
    @Override
    public void close() throws IOException {
        try (RowFileWriter closingRows = rowWriter;
                SplitBuilder closingSplit = splitBuilder) {
            rowWriter = null;
            splitBuilder = null;
        } finally {
            LocalFiles.delete(directory);
        }
    }
}
