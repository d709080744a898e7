package io.loam.store.testing;

import io.loam.codec.Ulid;
import io.loam.codec.fold.FoldOutcome;
import io.loam.codec.fold.KeyFold;
import io.loam.codec.fold.LoggedOperation;
import io.loam.codec.json.Json;
import io.loam.codec.key.PrimaryKey;
import io.loam.codec.lance.DataFileName;
import io.loam.codec.manifest.CollectionManifest;
import io.loam.codec.manifest.CollectionPaths;
import io.loam.codec.manifest.DeadLetter;
import io.loam.codec.manifest.ManifestProperties;
import io.loam.codec.manifest.RowIdRange;
import io.loam.codec.manifest.SplitRef;
import io.loam.codec.record.Document;
import io.loam.codec.record.RecordCodec;
import io.loam.codec.record.RecordException;
import io.loam.codec.schema.DocumentCheck;
import io.loam.codec.staged.DeadLetterPartCodec;
import io.loam.codec.staged.KeyChange;
import io.loam.codec.staged.KeyListCodec;
import io.loam.codec.staged.StagedUnit;
import io.loam.codec.staged.UnitDescriptor;
import io.loam.codec.staged.UnitDescriptorCodec;
import io.loam.store.CollectionHandle;
import io.loam.store.commit.CollectionCommittable;
import io.loam.store.commit.CommitMode;
import io.loam.store.commit.OffsetRange;
import io.loam.store.object.DataFileCheck;
import io.loam.store.spi.Projection;
import io.loam.store.spi.Row;
import io.loam.store.spi.RowCursor;
import io.loam.store.spi.RowFileWriter;
import io.loam.store.spi.RowSnapshot;
import io.loam.store.spi.SplitBuilder;
import io.loam.store.spi.StoredRow;
import io.loam.store.verify.LogReader.LogRecord;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.UUID;

/**
 * One attempt of a writer, without an engine: it starts at the live version, folds the log from
 * there, stages units and makes committables.
 */
public final class TestWriter {
    private final CollectionHandle handle;
    private final TestLog log;
    private final Path dir;
    private final CommitMode mode;
    private final Ulid incarnation;
    private final Map<Integer, Long> positions = new HashMap<>();
    private final Map<PrimaryKey, Long> index = new HashMap<>();
    private final Map<PrimaryKey, Document> documents = new HashMap<>();
    private String base;
    private long nextRow;
    private long checkpoint;
    private long begunMs;

    private TestWriter(CollectionHandle handle, TestLog log, Path dir, CommitMode mode) {
        this.handle = handle;
        this.log = log;
        this.dir = dir;
        this.mode = mode;
        this.incarnation = handle.ulids().next();
    }

    /** Starts at the live version. */
    public static TestWriter start(CollectionHandle handle, TestLog log, Path dir)
            throws IOException {
        return start(handle, log, dir, CommitMode.STREAM);
    }

    /** Starts at the live version; in direct mode with the log's first record. */
    public static TestWriter start(CollectionHandle handle, TestLog log, Path dir, CommitMode mode)
            throws IOException {
        TestWriter writer = new TestWriter(handle, log, dir, mode);
        CollectionManifest live = handle.live().manifest();
        writer.positions.putAll(live.applied());
        writer.base = live.properties().getOrDefault(ManifestProperties.COMMIT_ID, "");
        writer.nextRow = live.rowIdHighWater() + 10;
        try (RowSnapshot rows = handle.rows().open(live.lanceVersion(), handle.schema());
                RowCursor cursor = rows.scan(Projection.ALL, 0, 1)) {
            for (StoredRow row = cursor.next(); row != null; row = cursor.next()) {
                writer.index.put(row.key(), row.rowId());
                writer.documents.put(
                        row.key(),
                        new Document(
                                row.key(),
                                Json.parseObject(row.source()),
                                row.vectors(),
                                row.sparseVectors()));
            }
        }
        return writer;
    }

    public Ulid incarnation() {
        return incarnation;
    }

    /** Row of every key, staged ones included. */
    public Map<PrimaryKey, Long> index() {
        return index;
    }

    /** Stages all of the log that is new as so many units. */
    public CollectionCommittable checkpoint(int units) throws IOException {
        return checkpoint(units, 0);
    }

    /**
     * The same with units that were begun at another time.
     *
     * @param laterMs added to the time in their names; negative for the past
     */
    public CollectionCommittable checkpoint(int units, long laterMs) throws IOException {
        begunMs = handle.ulids().timeMs() + laterMs;
        handle.rows().ensureDataset();
        List<Located> records = new ArrayList<>();
        Map<Integer, OffsetRange> progress = new HashMap<>();
        for (int partition = 0; partition < log.partitions(); partition++) {
            long from = positions.getOrDefault(partition, 0L);
            for (LogRecord record : log.from(partition, from)) {
                records.add(new Located(partition, record));
            }
            long to = from + log.from(partition, from).size();
            if (to > from) {
                progress.put(partition, new OffsetRange(from, to, 0));
                positions.put(partition, to);
            }
        }
        List<StagedUnit> staged = new ArrayList<>();
        for (int i = 0; i < units; i++) {
            staged.add(
                    stage(
                            records.subList(
                                    i * records.size() / units, (i + 1) * records.size() / units)));
        }
        CollectionCommittable committable =
                new CollectionCommittable(
                        UUID.randomUUID().toString(),
                        base,
                        incarnation,
                        ++checkpoint,
                        mode,
                        "writer",
                        "job",
                        records.size(),
                        staged,
                        mode == CommitMode.STREAM ? progress : Map.of());
        base = committable.commitId();
        return committable;
    }

    private record Located(int partition, LogRecord record) {}

    private StagedUnit stage(List<Located> records) throws IOException {
        Map<PrimaryKey, List<LoggedOperation>> operations = new TreeMap<>();
        List<DeadLetter> letters = new ArrayList<>();
        for (Located located : records) {
            LogRecord record = located.record();
            try {
                LoggedOperation logged =
                        new LoggedOperation(
                                located.partition(),
                                record.offset(),
                                RecordCodec.decode(record.key(), record.value()),
                                record.value());
                operations
                        .computeIfAbsent(logged.operation().key(), key -> new ArrayList<>())
                        .add(logged);
            } catch (RecordException e) {
                letters.add(
                        new DeadLetter(
                                located.partition(),
                                record.offset(),
                                record.key(),
                                record.value(),
                                "undecodable: " + e.getMessage()));
            }
        }
        List<Row> rows = new ArrayList<>();
        List<KeyChange> changes = fold(operations, letters, rows);
        return upload(
                rows,
                changes,
                mode == CommitMode.STREAM ? letters : numbered(letters, nextRow + rows.size()));
    }

    /** Ids of letters follow those of the rows. */
    private static List<DeadLetter> numbered(List<DeadLetter> letters, long first) {
        List<DeadLetter> numbered = new ArrayList<>();
        for (DeadLetter letter : letters) {
            numbered.add(
                    new DeadLetter(
                            letter.partition(),
                            first + numbered.size(),
                            letter.key(),
                            letter.value(),
                            letter.reason()));
        }
        return numbered;
    }

    private List<KeyChange> fold(
            Map<PrimaryKey, List<LoggedOperation>> operations,
            List<DeadLetter> letters,
            List<Row> rows) {
        DocumentCheck check = DocumentCheck.lenient(handle.schema());
        List<KeyChange> changes = new ArrayList<>();
        operations.forEach(
                (key, ops) -> {
                    Long old = index.get(key);
                    FoldOutcome outcome =
                            KeyFold.prepare(
                                            ops,
                                            doc ->
                                                    check.firstViolation(doc)
                                                            .map(
                                                                    v ->
                                                                            v.field()
                                                                                    + ": "
                                                                                    + v.message()),
                                            letters::add)
                                    .fold(documents.get(key), old != null);
                    if (outcome.document() != null) {
                        long row = nextRow + rows.size();
                        changes.add(new KeyChange(key, old, row));
                        index.put(key, row);
                        documents.put(key, outcome.document());
                        rows.add(
                                new Row(
                                        outcome.document(),
                                        Json.print(outcome.document().source()),
                                        outcome.partition(),
                                        mode == CommitMode.STREAM ? outcome.offset() : row));
                    } else if (outcome.effect() == FoldOutcome.Effect.DELETE) {
                        changes.add(new KeyChange(key, old, null));
                        index.remove(key);
                        documents.remove(key);
                    }
                });
        return changes;
    }

    private StagedUnit upload(List<Row> rows, List<KeyChange> changes, List<DeadLetter> letters)
            throws IOException {
        Ulid unit = fresh();
        long first = nextRow;
        nextRow += rows.size() + (mode == CommitMode.STREAM ? 0 : letters.size());
        String dataFile = "";
        Ulid splitUlid = fresh();
        RowFileWriter.Written written = new RowFileWriter.Written(0, 0, List.of());
        SplitRef split = null;
        if (!rows.isEmpty()) {
            Path file = dir.resolve(unit + ".lance");
            try (RowFileWriter writer = handle.rows().newFile(file, handle.schema())) {
                for (Row row : rows) {
                    writer.append(row);
                }
                written = writer.finish();
            }
            dataFile = DataFileName.of(unit, DataFileCheck.crc32c(file));
            announce(unit, dataFile, splitUlid);
            handle.objects().putFile(handle.paths().lanceData(dataFile), file);
            Files.delete(file);
            split = split(splitUlid, rows, first);
        } else {
            announce(unit, dataFile, splitUlid);
        }
        byte[] keys = KeyListCodec.encode(changes);
        if (!changes.isEmpty()) {
            handle.objects().put(handle.paths().stagedKeys(unit), keys);
        }
        byte[] part = DeadLetterPartCodec.encode(letters);
        if (!letters.isEmpty()) {
            handle.objects().put(handle.paths().stagedDeadLetters(unit), part);
        }
        return new StagedUnit(
                unit,
                unit.timeMs(),
                handle.schema().version(),
                0,
                first,
                rows.size(),
                dataFile,
                written.bytes(),
                written.columns(),
                split,
                changes.size(),
                keys.length,
                letters.size(),
                part.length);
    }

    private Ulid fresh() {
        Ulid ulid = handle.ulids().next();
        return begunMs < ulid.timeMs()
                ? new Ulid((begunMs << 16) | (ulid.high() & 0xffff), ulid.low())
                : ulid;
    }

    private void announce(Ulid unit, String dataFile, Ulid split) throws IOException {
        CollectionPaths paths = handle.paths();
        List<String> names = new ArrayList<>();
        if (!dataFile.isEmpty()) {
            names.add(paths.lanceData(dataFile));
            names.add(paths.split(split));
        }
        names.add(paths.stagedKeys(unit));
        names.add(paths.stagedDeadLetters(unit));
        handle.objects()
                .put(
                        paths.stagedDescriptor(unit),
                        UnitDescriptorCodec.encode(
                                new UnitDescriptor(unit, incarnation, unit.timeMs(), names)));
    }

    private SplitRef split(Ulid ulid, List<Row> rows, long first) throws IOException {
        try (SplitBuilder builder = handle.splits().newSplit(ulid, handle.schema(), dir)) {
            for (int i = 0; i < rows.size(); i++) {
                builder.add(first + i, rows.get(i).document());
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
                    List.of(new RowIdRange(first, first + rows.size())),
                    "",
                    handle.schema().version(),
                    ulid.timeMs(),
                    0,
                    built.footerCrc32c());
        }
    }
}
