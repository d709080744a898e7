package io.loam.flink.operators;

import io.loam.codec.key.PrimaryKey;
import io.loam.codec.manifest.DeadLetter;
import io.loam.codec.record.Document;
import io.loam.codec.schema.CollectionSchema;
import io.loam.codec.schema.DocumentCheck;
import io.loam.codec.staged.StagedUnit;
import io.loam.flink.operators.BatchBuffer.Batch;
import io.loam.store.CollectionHandle;
import io.loam.store.commit.CommitMode;

import java.io.IOException;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;

/**
 * Turns operations into staged units. Operations gather in a batch; a full one is folded against
 * the index and handed to the worker, which builds units of it. Only this class knows which rows
 * are in no uploaded file yet.
 */
final class Stager {
    private final CollectionHandle collection;
    private final KeyIndex index;
    private final RowIdAllocator ids;
    private final UncommittedUnits uncommitted;
    private final CurrentRows rows;
    private final UnitWorker worker;
    private final StageTimes times;
    private final Intake intake;
    private final BatchBuffer buffer;
    private final boolean failOnLetter;
    private final List<StagedUnit> staged = new ArrayList<>();
    private long pendingFrom;
    private long pendingTo;
    private long turnedAway;

    Stager(
            CollectionHandle collection,
            KeyIndex index,
            RowIdAllocator ids,
            UncommittedUnits uncommitted,
            CurrentRows rows,
            UnitWorker worker,
            StageOptions options,
            StageTimes times) {
        this.collection = collection;
        this.index = index;
        this.ids = ids;
        this.uncommitted = uncommitted;
        this.rows = rows;
        this.worker = worker;
        this.times = times;
        this.intake = new Intake(options.mode(), collection.info().partitions());
        this.buffer = new BatchBuffer(options.batchBytes(), options.batchRecords());
        this.failOnLetter = options.failOnLetter();
    }

    /** Takes an operation or a letter, if it is one of the sink's mode. */
    void add(CollectionElement element) throws IOException, InterruptedException {
        if (!intake.take(element, buffer)) {
            turnedAway++;
        }
        if (buffer.isFull()) {
            seal();
        }
    }

    /** Progress, too, is of one mode only. */
    void requireOffsets(CollectionElement progress) {
        intake.require(CommitMode.STREAM, progress);
    }

    private void seal() throws IOException, InterruptedException {
        if (buffer.isEmpty()) {
            return;
        }
        long started = System.nanoTime();
        // Read after the records: whoever wrote them knew no newer schema than this one, so that
        // nothing is turned away by a schema that is out of date.
        CollectionSchema schema = collection.refreshSchema();
        SealedBatch sealed = fold(buffer.take(), schema).seal(ids, intake.mode());
        times.foldNanos.add(System.nanoTime() - started);
        if (failOnLetter && !sealed.letters().isEmpty()) {
            throw failed(sealed.letters().get(0));
        }
        if (!sealed.isEmpty()) {
            rememberPending(sealed);
            worker.add(sealed);
        }
        index.sealed();
    }

    private IOException failed(DeadLetter letter) {
        String place =
                intake.mode() == CommitMode.STREAM
                        ? " at partition " + letter.partition() + ", offset " + letter.offset()
                        : "";
        return new IOException(
                "a record"
                        + place
                        + " with the key "
                        + (letter.key() == null ? "null" : HexFormat.of().formatHex(letter.key()))
                        + " cannot be applied: "
                        + letter.reason()
                        + "; with sink.on-error = dead-letter the job goes on without it");
    }

    private BatchFold fold(Batch batch, CollectionSchema schema) throws IOException {
        DocumentCheck check = DocumentCheck.lenient(schema);
        Function<Document, Optional<String>> violation =
                document ->
                        check.firstViolation(document)
                                .map(broken -> broken.field() + ": " + broken.message());
        BatchFold fold = BatchFold.fold(batch, schema, violation, index, this::current);
        turnedAway += fold.violations();
        return fold;
    }

    private void rememberPending(SealedBatch sealed) {
        if (!sealed.rows().isEmpty()) {
            pendingFrom = pendingFrom == pendingTo ? sealed.firstRowId() : pendingFrom;
            pendingTo = sealed.firstRowId() + sealed.rows().size();
        }
    }

    /** Documents of rows; those that are being built are uploaded first, to be read from there. */
    private Map<PrimaryKey, Document> current(Map<PrimaryKey, Long> needed) throws IOException {
        long started = System.nanoTime();
        if (needed.values().stream().anyMatch(this::isPending)) {
            try {
                collectUnits();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new IOException("interrupted while staging a unit", e);
            }
        }
        Map<PrimaryKey, Document> documents = rows.read(needed);
        times.readNanos.add(System.nanoTime() - started);
        return documents;
    }

    private boolean isPending(long row) {
        return Long.compareUnsigned(row, pendingFrom) >= 0
                && Long.compareUnsigned(row, pendingTo) < 0;
    }

    private void collectUnits() throws IOException, InterruptedException {
        for (StagedUnit unit : worker.flush()) {
            staged.add(unit);
            if (unit.rowCount() > 0) {
                uncommitted.add(
                        new UncommittedUnit(unit.firstRowId(), unit.rowCount(), unit.dataFile()));
            }
        }
        pendingFrom = 0;
        pendingTo = 0;
    }

    /** Stages everything that came before and returns the units of it. */
    List<StagedUnit> flush() throws IOException, InterruptedException {
        seal();
        collectUnits();
        List<StagedUnit> units = new ArrayList<>(staged);
        staged.clear();
        return units;
    }

    /** Records that became dead letters here so far. */
    long turnedAway() {
        return turnedAway;
    }
}
