package io.loam.store.commit;

import io.loam.codec.CorruptException;
import io.loam.codec.Ulid;
import io.loam.codec.manifest.Action;
import io.loam.codec.manifest.CollectionManifest;
import io.loam.codec.manifest.CommitKind;
import io.loam.codec.manifest.DeadLetter;
import io.loam.codec.manifest.DeadLetterCodec;
import io.loam.codec.manifest.FileChecksum;
import io.loam.codec.manifest.ManifestCodec;
import io.loam.codec.manifest.ManifestDiff;
import io.loam.codec.manifest.ManifestProperties;
import io.loam.codec.manifest.PkDelta;
import io.loam.codec.manifest.PkDeltaCodec;
import io.loam.codec.manifest.UserAction;
import io.loam.codec.manifest.UserOperation;
import io.loam.codec.manifest.UserOperationCodec;
import io.loam.codec.staged.DeadLetterPartCodec;
import io.loam.codec.staged.KeyChange;
import io.loam.codec.staged.KeyListCodec;
import io.loam.codec.staged.StagedUnit;
import io.loam.store.LiveManifest;
import io.loam.store.object.ObjectStore.Put;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Collectors;

/**
 * Turns a committable into the manifest that follows a given parent, and the objects it needs. It
 * reads the units' key lists, the bitmaps and deletion files of what they delete, and the parent's
 * row version, side by side; it writes nothing.
 */
final class ApplyPlanner {
    private final CommitIo io;
    private final CommitterOptions options;
    private final CollectionCommittable committable;
    private final LiveManifest live;
    private final CollectionManifest parent;
    private final long startedMs;
    private final List<Put> objects = new ArrayList<>();
    private final Map<String, String> checksums = new HashMap<>();
    private final List<Action> actions = new ArrayList<>();

    ApplyPlanner(
            CommitIo io,
            CommitterOptions options,
            CollectionCommittable committable,
            LiveManifest live,
            long startedMs) {
        this.io = io;
        this.options = options;
        this.committable = committable;
        this.live = live;
        this.parent = live.manifest();
        this.startedMs = startedMs;
    }

    /**
     * @param schemaVersion of the schema as it is now
     * @param attempt 0 first, one more for every rebase
     */
    ApplyPlan plan(long schemaVersion, int attempt) throws IOException {
        NetChanges changes = NetChanges.of(keyLists());
        List<UnitRows> units =
                UnitRows.of(committable.units(), changes.insertedRows(), parent.rowIdHighWater());
        List<DeadLetter> deadLetters = deadLetters();
        long highWater = highWater(units, deadLetters);
        LanceChanges rows =
                LanceChanges.of(parent, changes.deletedRows(), units, highWater, startedMs, io);
        SplitChanges splits = SplitChanges.of(parent, changes.deletedRows(), units, io);
        objects.addAll(rows.puts());
        objects.addAll(splits.puts());
        actions.addAll(rows.actions());
        actions.addAll(splits.actions());

        long liveDocs = changes.insertedRows().length - changes.deletedRows().length;
        Map<Integer, Long> applied = advance();
        long schema = schema(schemaVersion);
        long skipped =
                committable.progress().values().stream().mapToLong(OffsetRange::skipped).sum();
        if (liveDocs != 0 || !deadLetters.isEmpty() || skipped != 0) {
            actions.add(new Action.AdjustCounters(liveDocs, deadLetters.size(), skipped));
        }
        String pkDelta = putPkDelta(changes);
        String letters = putDeadLetters(deadLetters);
        if (!pkDelta.isEmpty() || !letters.isEmpty()) {
            actions.add(new Action.AttachFiles(pkDelta, letters));
        }
        CollectionManifest child =
                new CollectionManifest(
                        version(),
                        parent.version(),
                        parent.collectionId(),
                        schema,
                        startedMs,
                        rows.version(),
                        splits.splits(),
                        parent.vectorIndexes(),
                        parent.hotArtifacts(),
                        applied,
                        parent.liveDocCount() + liveDocs,
                        live.path(),
                        CommitKind.LINK_APPLY,
                        pkDelta,
                        letters,
                        parent.deadLettersTotal() + deadLetters.size(),
                        parent.skippedOffsetsTotal() + skipped,
                        parent.scalarIndexes(),
                        null,
                        "",
                        properties(rows, units),
                        highWater);
        return finish(explain(child, attempt));
    }

    private Map<String, String> properties(LanceChanges rows, List<UnitRows> units) {
        Map<String, String> properties =
                ApplyProperties.of(
                        parent.properties(),
                        committable,
                        rowless(units),
                        startedMs,
                        options.stagingRetentionMs());
        properties.putAll(checksums);
        if (rows.checksum() != null) {
            properties.put(ManifestProperties.ROW_VERSION, rows.checksum());
        }
        return properties;
    }

    private long version() {
        return parent.version() + 1;
    }

    private List<List<KeyChange>> keyLists() throws IOException {
        List<StagedUnit> units =
                committable.units().stream().filter(unit -> unit.keyChanges() > 0).toList();
        return io.reads().map(units, this::keyList);
    }

    private List<KeyChange> keyList(StagedUnit unit) throws IOException {
        String path = io.paths().stagedKeys(unit.unit());
        List<KeyChange> changes = KeyListCodec.decode(io.objects().get(path), path);
        requireCount(path, changes.size(), unit.keyChanges());
        return changes;
    }

    private List<DeadLetter> deadLetters() throws IOException {
        List<StagedUnit> units =
                committable.units().stream().filter(unit -> unit.deadLetters() > 0).toList();
        return io.reads().map(units, this::deadLetterPart).stream()
                .flatMap(List::stream)
                .sorted(
                        Comparator.comparing(DeadLetter::partition, Integer::compareUnsigned)
                                .thenComparing(DeadLetter::offset, Long::compareUnsigned))
                .toList();
    }

    private List<DeadLetter> deadLetterPart(StagedUnit unit) throws IOException {
        String path = io.paths().stagedDeadLetters(unit.unit());
        List<DeadLetter> letters = DeadLetterPartCodec.decode(io.objects().get(path), path);
        requireCount(path, letters.size(), unit.deadLetters());
        if (committable.mode() == CommitMode.STREAM) {
            letters.forEach(letter -> requireNew(path, letter));
        }
        return letters;
    }

    /** A list of another unit may have as many letters; those of older commits are known. */
    private void requireNew(String path, DeadLetter letter) {
        long applied = parent.applied().getOrDefault(letter.partition(), 0L);
        if (letter.offset() < applied) {
            throw new CorruptException(
                    path
                            + ": holds a letter of partition "
                            + letter.partition()
                            + " offset "
                            + letter.offset()
                            + ", but everything below offset "
                            + applied
                            + " is applied");
        }
    }

    private static void requireCount(String path, long found, long expected) {
        if (found != expected) {
            throw new CorruptException(
                    path + ": holds " + found + " entries, its unit says " + expected);
        }
    }

    /** Units without a row that stays; neither splits nor row version name them. */
    private List<Ulid> rowless(List<UnitRows> units) {
        Set<Ulid> named =
                units.stream()
                        .filter(rows -> !rows.empty())
                        .map(rows -> rows.unit().unit())
                        .collect(Collectors.toSet());
        return committable.units().stream()
                .map(StagedUnit::unit)
                .filter(unit -> !named.contains(unit))
                .toList();
    }

    /**
     * Row ids of every unit count, even of one whose rows are all superseded, and so do the ids
     * that letters have in direct mode.
     */
    private static long higher(long a, long b) {
        return Long.compareUnsigned(a, b) >= 0 ? a : b;
    }

    private long highWater(List<UnitRows> units, List<DeadLetter> letters) {
        long rows =
                units.stream()
                        .mapToLong(unit -> unit.unit().firstRowId() + unit.unit().rowCount())
                        .reduce(parent.rowIdHighWater(), ApplyPlanner::higher);
        return committable.mode() == CommitMode.STREAM
                ? rows
                : letters.stream().mapToLong(letter -> letter.offset() + 1).reduce(rows, Math::max);
    }

    private Map<Integer, Long> advance() {
        Map<Integer, Long> next = new HashMap<>();
        committable
                .progress()
                .forEach(
                        (partition, range) -> {
                            if (range.to() != parent.applied().getOrDefault(partition, 0L)) {
                                next.put(partition, range.to());
                            }
                        });
        if (!next.isEmpty()) {
            actions.add(new Action.AdvanceOffsets(next));
        }
        Map<Integer, Long> applied = new HashMap<>(parent.applied());
        applied.putAll(next);
        return applied;
    }

    private long schema(long current) {
        long version =
                committable.units().stream()
                        .mapToLong(StagedUnit::schemaVersion)
                        .reduce(Math.max(parent.schemaVersion(), current), Math::max);
        if (version != parent.schemaVersion()) {
            actions.add(new Action.SetSchemaVersion(version));
        }
        return version;
    }

    private String putPkDelta(NetChanges changes) {
        if (changes.changes().isEmpty()) {
            return "";
        }
        List<PkDelta.Entry> entries =
                changes.changes().stream()
                        .map(change -> new PkDelta.Entry(change.key(), change.newRow()))
                        .toList();
        return put(
                io.paths().pkDelta(version(), ulid()),
                PkDeltaCodec.encode(new PkDelta(entries)),
                ManifestProperties.PK_DELTA);
    }

    private String putDeadLetters(List<DeadLetter> letters) {
        return letters.isEmpty()
                ? ""
                : put(
                        io.paths().deadLetters(version(), ulid()),
                        DeadLetterCodec.encode(letters),
                        ManifestProperties.DEAD_LETTERS);
    }

    private String put(String path, byte[] bytes, String property) {
        checksums.put(property, FileChecksum.of(path, bytes));
        return put(path, bytes);
    }

    private String put(String path, byte[] bytes) {
        objects.add(new Put(path, bytes));
        return path;
    }

    private Ulid ulid() {
        return io.ulids().get();
    }

    /** Adds what the commit did, inside the manifest or as an object of its own. */
    private CollectionManifest explain(CollectionManifest child, int attempt) {
        String description =
                "apply "
                        + committable.records()
                        + (committable.mode() == CommitMode.STREAM ? " records" : " changes")
                        + (committable.progress().isEmpty()
                                ? ""
                                : ", offsets " + Refusal.offsets(committable.progress()));
        UserOperation operation =
                new UserOperation(
                        UUID.fromString(committable.commitId()),
                        parent.version(),
                        List.of(new UserAction(description, actions)),
                        CommitKind.LINK_APPLY,
                        startedMs,
                        options.actor() == null ? committable.job() : options.actor(),
                        Map.of(
                                "records", Long.toString(committable.records()),
                                "job", committable.job(),
                                "checkpoint", Long.toString(committable.checkpoint())),
                        attempt);
        if (!ManifestDiff.sameContent(ManifestDiff.apply(parent, operation), child)) {
            throw new IllegalStateException(
                    Refusal.describe(committable)
                            + ": its actions on version "
                            + parent.version()
                            + " do not give its manifest; nothing was published");
        }
        if (UserOperationCodec.encodeBody(operation).length
                <= UserOperationCodec.MAX_INLINE_BYTES) {
            return child.withOperation(operation, "");
        }
        String path = io.paths().operation(version(), ulid());
        return child.withOperation(null, put(path, UserOperationCodec.encode(operation)));
    }

    private ApplyPlan finish(CollectionManifest manifest) {
        String path = io.paths().manifest(version(), ulid());
        return new ApplyPlan(manifest, objects, new Put(path, ManifestCodec.encode(manifest)));
    }
}
