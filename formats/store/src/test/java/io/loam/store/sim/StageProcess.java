package io.loam.store.sim;

import io.loam.codec.fold.FoldOutcome;
import io.loam.codec.fold.KeyFold;
import io.loam.codec.fold.LoggedOperation;
import io.loam.codec.json.Json;
import io.loam.codec.key.PrimaryKey;
import io.loam.codec.manifest.CollectionManifest;
import io.loam.codec.manifest.DeadLetter;
import io.loam.codec.manifest.ManifestProperties;
import io.loam.codec.manifest.PkDelta;
import io.loam.codec.record.Document;
import io.loam.codec.record.RecordCodec;
import io.loam.codec.record.RecordException;
import io.loam.codec.schema.DocumentCheck;
import io.loam.codec.staged.KeyChange;
import io.loam.codec.staged.StagedUnit;
import io.loam.store.CollectionHandle;
import io.loam.store.commit.CollectionCommittable;
import io.loam.store.commit.CommitMode;
import io.loam.store.commit.OffsetRange;
import io.loam.store.metastore.Lease;
import io.loam.store.repair.IndexRebuild;
import io.loam.store.repair.IndexRepair;
import io.loam.store.repair.RepairPlan;
import io.loam.store.repair.RepairState;
import io.loam.store.sim.Snapshot.StagedFile;
import io.loam.store.sim.Snapshot.Subtask;
import io.loam.store.spi.Projection;
import io.loam.store.spi.Row;
import io.loam.store.spi.RowSnapshot;
import io.loam.store.spi.StoredRow;
import io.loam.store.verify.LogReader.LogRecord;

import javax.annotation.Nullable;

import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.UUID;

/**
 * Source, staging subtasks and aggregation of one attempt, as the job's operators do it: repair on
 * open, units before the barrier, one committable with its base, a snapshot.
 */
final class StageProcess {
    private static final int SUBTASKS = 2;
    private static final int ARENA_BITS = 32;

    private final World world;
    private final Attempt attempt;
    private final CollectionHandle handle;
    private final UnitUpload upload;
    private final List<Map<PrimaryKey, Long>> indexes = new ArrayList<>();
    private final List<Long> tips = new ArrayList<>();
    private final List<String> startedFrom = new ArrayList<>();
    private final List<String> lineage = new ArrayList<>();
    private final Map<Integer, Long> positions = new TreeMap<>();
    private final Map<Integer, Long> sealed = new TreeMap<>();
    private final List<StagedFile> uncommitted = new ArrayList<>();
    private final List<Long> used = new ArrayList<>();
    private long base;
    private long arena;

    private record Located(int partition, LogRecord record) {}

    StageProcess(World world, Attempt attempt) throws IOException {
        this.world = world;
        this.attempt = attempt;
        this.handle = world.open();
        this.upload = new UnitUpload(world, handle, attempt.job.incarnation);
    }

    void run() throws IOException {
        open();
        while (!attempt.dead) {
            world.scheduler.sleep(1 + world.random.nextInt(8_000));
            extendLease();
            checkpoint();
        }
    }

    private void open() throws IOException {
        Snapshot restored = attempt.restored;
        CollectionManifest live = handle.live().manifest();
        for (int p = 0; p < World.PARTITIONS; p++) {
            long state = restored == null ? 0 : restored.positions().getOrDefault(p, 0L);
            positions.put(p, Math.max(state, live.applied().getOrDefault(p, 0L)));
        }
        sealed.putAll(positions);
        if (restored != null) {
            lineage.addAll(restored.lineage());
            uncommitted.addAll(restored.uncommitted());
        }
        List<String> repairedTo = new ArrayList<>();
        for (int subtask = 0; subtask < SUBTASKS; subtask++) {
            repairedTo.add(openIndex(subtask, restored));
        }
        if (!String.valueOf(repairedTo.get(0)).equals(String.valueOf(repairedTo.get(1)))) {
            throw new IOException("the subtasks stand on different commits: " + repairedTo);
        }
        if (repairedTo.get(0) != null) {
            lineage.clear();
            lineage.add(repairedTo.get(0));
        }
        allocate();
    }

    /** Returns the commit the index was brought to, null if it stands as restored. */
    @Nullable
    private String openIndex(int subtask, @Nullable Snapshot restored) throws IOException {
        Map<PrimaryKey, Long> index = new HashMap<>();
        indexes.add(index);
        used.add(0L);
        RepairState state = restored == null ? RepairState.NONE : restored.repairState();
        RepairPlan plan = IndexRepair.plan(handle, state);
        if (restored != null) {
            index.putAll(restored.subtasks().get(subtask).index());
        }
        boolean wrong = world.mutant == Mutant.INDEX_NOT_REPAIRED && restored != null;
        if (plan instanceof RepairPlan.Keep && !wrong) {
            boolean own = attempt.job.incarnation.equals(state.incarnation());
            tips.add(own ? state.tipCheckpoint() : -1);
            startedFrom.add(own ? state.startedFrom() : plan.base());
            return null;
        }
        if (plan instanceof RepairPlan.Replay replay && !wrong) {
            replay.deltas().forEach(delta -> apply(delta, subtask, index));
        } else if (plan instanceof RepairPlan.Rebuild rebuild && !wrong) {
            index.clear();
            uncommitted.clear();
            IndexRebuild.scan(
                    handle,
                    rebuild.live(),
                    0,
                    1,
                    (key, row) -> {
                        if (subtaskOf(key) == subtask) {
                            index.put(key, row);
                        }
                    });
        }
        tips.add(-1L);
        startedFrom.add(plan.base());
        return plan.base();
    }

    private static void apply(PkDelta delta, int subtask, Map<PrimaryKey, Long> index) {
        for (PkDelta.Entry entry : delta.entries()) {
            if (subtaskOf(entry.key()) == subtask) {
                if (entry.rowId() == null) {
                    index.remove(entry.key());
                } else {
                    index.put(entry.key(), entry.rowId());
                }
            }
        }
    }

    private static int subtaskOf(PrimaryKey key) {
        return Math.floorMod(key.hashCode(), SUBTASKS);
    }

    private void allocate() throws IOException {
        List<Long> bases = new ArrayList<>();
        for (int subtask = 0; subtask < SUBTASKS; subtask++) {
            CollectionManifest live = handle.live().manifest();
            String key = ManifestProperties.HIGHEST_PREFIX + attempt.job.incarnation;
            long highest =
                    live.properties().containsKey(key)
                            ? ManifestProperties.number(live.properties(), key)
                            : 0;
            arena = Math.max(attempt.restoredCheckpoint(), highest) + 1;
            bases.add(
                    handle.metastore()
                            .rowIdBase(
                                    world.info.id(),
                                    attempt.job.incarnation,
                                    arena,
                                    live.rowIdHighWater()));
        }
        if (!bases.get(0).equals(bases.get(1))) {
            throw new IOException("units would be numbered from different bases: " + bases);
        }
        base = bases.get(0);
    }

    private void extendLease() throws IOException {
        String key = handle.paths().leaseKey();
        Optional<Lease> lease = handle.metastore().lease(key);
        if (lease.isPresent() && attempt.job.owner().equals(lease.get().owner())) {
            handle.metastore()
                    .reacquireLease(key, attempt.job.owner(), lease.get().epoch(), 30_000);
        }
    }

    private void checkpoint() throws IOException {
        List<StagedUnit> units = new ArrayList<>();
        int rounds = 1 + world.random.nextInt(2);
        for (int round = 0; round < rounds; round++) {
            List<Located> records = read();
            if (!records.isEmpty()) {
                units.addAll(stage(records));
            }
        }
        long checkpoint = attempt.job.nextCheckpoint++;
        Map<Integer, OffsetRange> progress = progress();
        if (!units.isEmpty() || !progress.isEmpty()) {
            attempt.pending.add(committable(checkpoint, units, progress));
            tips.replaceAll(tip -> checkpoint);
        }
        arena = Math.max(arena, checkpoint + 1);
        used.replaceAll(n -> 0L);
        attempt.complete(snapshot(checkpoint));
    }

    private List<Located> read() {
        List<Located> records = new ArrayList<>();
        for (int p = 0; p < World.PARTITIONS; p++) {
            List<LogRecord> news = world.model.log.from(p, positions.get(p));
            int take = news.isEmpty() ? 0 : world.random.nextInt(Math.min(8, news.size()) + 1);
            take = world.isPeace() ? news.size() : take;
            for (LogRecord record : news.subList(0, take)) {
                records.add(new Located(p, record));
            }
            positions.merge(p, (long) take, Long::sum);
        }
        return records;
    }

    private Map<Integer, OffsetRange> progress() {
        Map<Integer, OffsetRange> progress = new HashMap<>();
        positions.forEach(
                (p, to) -> {
                    if (to > sealed.get(p)) {
                        progress.put(p, new OffsetRange(sealed.get(p), to, 0));
                    }
                });
        sealed.putAll(positions);
        return progress;
    }

    private List<StagedUnit> stage(List<Located> records) throws IOException {
        List<Map<PrimaryKey, List<LoggedOperation>>> operations =
                List.of(new TreeMap<>(), new TreeMap<>());
        List<List<DeadLetter>> letters = List.of(new ArrayList<>(), new ArrayList<>());
        for (Located located : records) {
            LogRecord record = located.record();
            try {
                LoggedOperation logged =
                        new LoggedOperation(
                                located.partition(),
                                record.offset(),
                                RecordCodec.decode(record.key(), record.value()),
                                record.value());
                PrimaryKey key = logged.operation().key();
                operations
                        .get(subtaskOf(key))
                        .computeIfAbsent(key, any -> new ArrayList<>())
                        .add(logged);
            } catch (RecordException e) {
                letters.get(0)
                        .add(
                                new DeadLetter(
                                        located.partition(),
                                        record.offset(),
                                        record.key(),
                                        record.value(),
                                        "undecodable: " + e.getMessage()));
            }
        }
        List<StagedUnit> units = new ArrayList<>();
        for (int subtask = 0; subtask < SUBTASKS; subtask++) {
            units.addAll(unit(subtask, operations.get(subtask), letters.get(subtask)));
        }
        return units;
    }

    private List<StagedUnit> unit(
            int subtask,
            Map<PrimaryKey, List<LoggedOperation>> operations,
            List<DeadLetter> letters)
            throws IOException {
        UnitUpload.Begun begun = upload.begin();
        if (!world.isPeace() && world.random.nextInt(12) == 0) {
            // A slow early unit: it is named now and uploaded much later.
            world.scheduler.sleep(world.random.nextInt(3 * 3_600_000));
        }
        DocumentCheck check = DocumentCheck.lenient(handle.schema());
        long first = base + (arena << ARENA_BITS) + ((long) subtask << 31) + used.get(subtask);
        List<Row> rows = new ArrayList<>();
        List<KeyChange> changes = new ArrayList<>();
        for (Map.Entry<PrimaryKey, List<LoggedOperation>> entry : operations.entrySet()) {
            PrimaryKey key = entry.getKey();
            Long old = indexes.get(subtask).get(key);
            KeyFold.Prepared fold =
                    KeyFold.prepare(
                            entry.getValue(),
                            doc ->
                                    check.firstViolation(doc)
                                            .map(v -> v.field() + ": " + v.message()),
                            letters::add);
            Document current = fold.needsCurrent() && old != null ? current(key, old) : null;
            FoldOutcome outcome = fold.fold(current, old != null);
            if (outcome.document() != null) {
                long row = first + rows.size();
                changes.add(new KeyChange(key, old, row));
                indexes.get(subtask).put(key, row);
                rows.add(
                        new Row(
                                outcome.document(),
                                Json.print(outcome.document().source()),
                                outcome.partition(),
                                outcome.offset()));
            } else if (outcome.effect() == FoldOutcome.Effect.DELETE) {
                changes.add(new KeyChange(key, old, null));
                indexes.get(subtask).remove(key);
            }
        }
        if (rows.isEmpty() && changes.isEmpty() && letters.isEmpty()) {
            return List.of();
        }
        used.set(subtask, used.get(subtask) + rows.size());
        StagedUnit unit = upload.upload(begun, base, first, rows, changes, letters);
        if (!rows.isEmpty()) {
            uncommitted.add(new StagedFile(unit.dataFile(), first, rows.size()));
        }
        return List.of(unit);
    }

    /** The document of a row, from the unit that holds it or from the live version. */
    private Document current(PrimaryKey key, long row) throws IOException {
        Optional<StagedFile> unit = uncommitted.stream().filter(u -> u.holds(row)).findFirst();
        try (RowSnapshot rows =
                unit.isPresent()
                        ? handle.rows()
                                .openFile(
                                        unit.get().dataFile(),
                                        unit.get().firstRow(),
                                        unit.get().rows(),
                                        handle.schema())
                        : handle.rows()
                                .open(handle.live().manifest().lanceVersion(), handle.schema())) {
            List<StoredRow> taken = rows.take(new long[] {row}, Projection.ALL);
            if (taken.isEmpty()) {
                throw new IOException("row " + row + " of key " + key + " is not live");
            }
            StoredRow stored = taken.get(0);
            return new Document(
                    stored.key(),
                    Json.parseObject(stored.source()),
                    stored.vectors(),
                    stored.sparseVectors());
        }
    }

    private CollectionCommittable committable(
            long checkpoint, List<StagedUnit> units, Map<Integer, OffsetRange> progress)
            throws IOException {
        CollectionManifest live = handle.live().manifest();
        String last = live.properties().getOrDefault(ManifestProperties.COMMIT_ID, "");
        int at = lineage.lastIndexOf(last);
        if (at < 0) {
            throw new IOException("another writer published " + last);
        }
        lineage.subList(0, at).clear();
        uncommitted.removeIf(unit -> unit.firstRow() + unit.rows() <= live.rowIdHighWater());
        CollectionCommittable committable =
                new CollectionCommittable(
                        new UUID(world.random.nextLong(), world.random.nextLong()).toString(),
                        lineage.get(lineage.size() - 1),
                        attempt.job.incarnation,
                        checkpoint,
                        CommitMode.STREAM,
                        "writer",
                        attempt.job.name,
                        1,
                        units,
                        progress);
        lineage.add(committable.commitId());
        world.scheduler.note(
                "  committable "
                        + committable.commitId()
                        + " on "
                        + committable.base()
                        + " "
                        + progress);
        return committable;
    }

    private Snapshot snapshot(long checkpoint) {
        List<Subtask> subtasks = new ArrayList<>();
        for (int s = 0; s < SUBTASKS; s++) {
            subtasks.add(new Subtask(Map.copyOf(indexes.get(s)), tips.get(s), startedFrom.get(s)));
        }
        return new Snapshot(
                attempt.job.incarnation,
                checkpoint,
                subtasks,
                List.copyOf(lineage),
                Map.copyOf(positions),
                List.copyOf(uncommitted),
                List.copyOf(attempt.pending));
    }
}
