package io.loam.codec.manifest;

import io.loam.codec.Ulid;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.UUID;

/**
 * Commits of every kind on a collection, as their writers plan them. A commit edits the model and
 * records the actions itself, so that recorded actions and computed ones come from different code.
 */
final class RandomChain {
    static final CollectionPaths PATHS = new CollectionPaths(1, 7);

    private final Random random;
    private CollectionManifest live = CollectionManifest.empty(7);
    private long nextRowId;
    private final List<Action> actions = new ArrayList<>();

    // the child in the making
    private long lanceVersion;
    private long schemaVersion;
    private List<SplitRef> splits;
    private List<VectorIndexRef> vectors;
    private List<ScalarIndexRef> scalars;
    private List<HotArtifactRef> hot;
    private Map<Integer, Long> applied;
    private long liveDocs;
    private long deadLetters;
    private long skipped;
    private String pkDelta;
    private String deadLetterPath;

    RandomChain(Random random) {
        this.random = random;
    }

    /** A commit and the manifest it made; the manifest carries the operation. */
    record Commit(CollectionManifest parent, CollectionManifest child, UserOperation operation) {}

    List<Commit> commits(int count) {
        List<Commit> commits = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            commits.add(commit());
        }
        return commits;
    }

    private Commit commit() {
        lanceVersion = live.lanceVersion();
        schemaVersion = live.schemaVersion();
        splits = new ArrayList<>(live.splits());
        vectors = new ArrayList<>(live.vectorIndexes());
        scalars = new ArrayList<>(live.scalarIndexes());
        hot = new ArrayList<>(live.hotArtifacts());
        applied = new TreeMap<>(live.applied());
        liveDocs = live.liveDocCount();
        deadLetters = live.deadLettersTotal();
        skipped = live.skippedOffsetsTotal();
        pkDelta = "";
        deadLetterPath = "";
        actions.clear();
        CommitKind kind;
        switch (random.nextInt(10)) {
            case 0, 1, 2, 3 -> kind = linkApply();
            case 4 -> kind = deadLettersOnly();
            case 5 -> kind = indexBuild();
            case 6, 7 -> kind = merge();
            case 8 -> kind = compaction();
            default -> kind = hotArtifact();
        }
        return publish(kind);
    }

    private Commit publish(CommitKind kind) {
        UserOperation operation =
                new UserOperation(
                        new UUID(random.nextLong(), random.nextLong()),
                        live.version(),
                        List.of(new UserAction("random " + kind, actions)),
                        kind,
                        live.version() + 1000,
                        "test",
                        Map.of("records", "" + random.nextInt(100)),
                        random.nextInt(2));
        CollectionManifest child =
                new CollectionManifest(
                        live.version() + 1,
                        live.version(),
                        7,
                        schemaVersion,
                        live.version() + 1000,
                        lanceVersion,
                        splits,
                        vectors,
                        hot,
                        applied,
                        liveDocs,
                        PATHS.manifest(live.version(), ulid()),
                        kind,
                        pkDelta,
                        deadLetterPath,
                        deadLetters,
                        skipped,
                        scalars,
                        operation,
                        "",
                        Map.of("loam.checkpoint", "" + live.version()),
                        nextRowId);
        Commit commit = new Commit(live, child, operation);
        live = child;
        return commit;
    }

    private CommitKind linkApply() {
        long before = liveDocs;
        newLanceVersion();
        if (random.nextBoolean()) {
            actions.add(LanceAction.AddFragments.ofBytes(List.of(new byte[] {8, 1})));
        }
        deleteDocuments();
        int documents = random.nextInt(8);
        if (documents > 0) {
            long gap = random.nextInt(3);
            List<RowIdRange> rows =
                    List.of(new RowIdRange(nextRowId + gap, nextRowId + gap + documents));
            nextRowId += gap + documents;
            liveDocs += documents;
            actions.add(new Action.AddSplit(addSplit(splits.size(), rows, 0), splits.size() - 1));
        }
        if (!vectors.isEmpty() && random.nextInt(4) == 0) {
            String uuid = vectors.remove(random.nextInt(vectors.size())).uuid();
            actions.add(new Action.RemoveIndexRef(uuid));
        }
        advance();
        if (random.nextInt(4) == 0) {
            schemaVersion++;
            actions.add(new Action.SetSchemaVersion(schemaVersion));
        }
        count(before);
        attach();
        return CommitKind.LINK_APPLY;
    }

    private CommitKind deadLettersOnly() {
        advance();
        count(liveDocs);
        attach();
        return CommitKind.LINK_APPLY;
    }

    private void deleteDocuments() {
        for (SplitRef split : List.copyOf(splits)) {
            long left = split.liveCount();
            long deleted = random.nextInt(3) == 0 ? random.nextLong(left + 1) : 0;
            if (deleted == left) {
                splits.remove(split);
                actions.add(new Action.RemoveSplit(split.ulid()));
            } else if (deleted > 0) {
                String bitmap = PATHS.deleteBitmap(split.ulid(), ulid());
                long count = split.deletedCount() + deleted;
                splits.set(splits.indexOf(split), split.withDeletes(count, bitmap));
                actions.add(new Action.UpdateSplit(split.ulid(), count, bitmap));
            }
            liveDocs -= deleted;
        }
    }

    private CommitKind merge() {
        if (splits.size() < 2) {
            return compaction();
        }
        int from = random.nextInt(splits.size() - 1);
        int inputs = 1 + random.nextInt(splits.size() - from);
        List<SplitRef> merged = List.copyOf(splits.subList(from, from + inputs));
        splits.subList(from, from + inputs).clear();
        merged.forEach(split -> actions.add(new Action.RemoveSplit(split.ulid())));
        long documents = merged.stream().mapToLong(SplitRef::liveCount).sum();
        if (documents > 0) {
            List<RowIdRange> rows = firstRows(merged, documents);
            actions.add(new Action.AddSplit(addSplit(from, rows, 1), from));
        }
        return CommitKind.MAINTENANCE;
    }

    /** As many of the inputs' row ids as documents live; which ones makes no difference here. */
    private static List<RowIdRange> firstRows(List<SplitRef> inputs, long documents) {
        List<RowIdRange> all = new ArrayList<>();
        inputs.forEach(split -> all.addAll(split.ranges()));
        all.sort((a, b) -> Long.compareUnsigned(a.start(), b.start()));
        List<RowIdRange> rows = new ArrayList<>();
        long rest = documents;
        for (RowIdRange range : all) {
            long taken = Math.min(rest, range.length());
            if (taken > 0) {
                rows.add(new RowIdRange(range.start(), range.start() + taken));
            }
            rest -= taken;
        }
        return rows;
    }

    private CommitKind compaction() {
        newLanceVersion();
        actions.add(LanceAction.RemoveFragments.of(1, 2));
        return CommitKind.MAINTENANCE;
    }

    private CommitKind indexBuild() {
        newLanceVersion();
        String uuid = uuid();
        if (random.nextBoolean()) {
            String name = "vec_" + random.nextInt(3);
            if (random.nextBoolean()) {
                vectors.removeIf(index -> removeNamed(index.indexName(), name, index.uuid()));
            }
            vectors.add(
                    new VectorIndexRef(
                            "_vector_0", uuid, nextRowId, name, "v", VectorIndexRef.Kind.IVF_RQ));
            vectors.sort(ManifestEditor.VECTOR_ORDER);
            actions.add(
                    new Action.AddVectorIndexRef(
                            vectors.stream().filter(i -> i.uuid().equals(uuid)).findAny().get()));
        } else {
            scalars.removeIf(index -> removeNamed(index.indexName(), "pk_btree", index.uuid()));
            scalars.add(new ScalarIndexRef("_pk", uuid, nextRowId, "pk_btree"));
            actions.add(new Action.AddScalarIndexRef(scalars.get(0)));
        }
        actions.add(Action.AddTag.named("tag-" + live.version()));
        return CommitKind.INDEX_BUILD;
    }

    private boolean removeNamed(String name, String wanted, String uuid) {
        if (name.equals(wanted)) {
            actions.add(new Action.RemoveIndexRef(uuid));
        }
        return name.equals(wanted);
    }

    private CommitKind hotArtifact() {
        String column = "_vector_" + random.nextInt(2);
        boolean removed = hot.removeIf(artifact -> artifact.column().equals(column));
        if (removed && random.nextBoolean()) {
            actions.add(new Action.RemoveHotArtifact(column));
        } else {
            HotArtifactRef artifact =
                    new HotArtifactRef(
                            "hnsw",
                            column,
                            PATHS.hotArtifact(column, live.version(), ulid()),
                            live.version());
            hot.add(artifact);
            actions.add(new Action.SetHotArtifact(artifact));
        }
        return CommitKind.MAINTENANCE;
    }

    private SplitRef addSplit(int position, List<RowIdRange> rows, int mergeOps) {
        SplitRef split =
                new SplitRef(
                        ulid(),
                        RowIdRuns.count(rows),
                        0,
                        1000,
                        900,
                        1000,
                        rows,
                        "",
                        schemaVersion,
                        live.version(),
                        mergeOps,
                        random.nextInt());
        splits.add(position, split);
        return split;
    }

    private void newLanceVersion() {
        long next = random.nextLong() | Long.MIN_VALUE;
        actions.add(new Action.SetLanceVersion(lanceVersion, next));
        lanceVersion = next;
    }

    private void advance() {
        Map<Integer, Long> next = new TreeMap<>();
        for (int partition = 0; partition < 3; partition++) {
            if (random.nextBoolean()) {
                long offset = applied.getOrDefault(partition, 0L) + 1 + random.nextInt(50);
                next.put(partition, offset);
            }
        }
        applied.putAll(next);
        if (!next.isEmpty()) {
            actions.add(new Action.AdvanceOffsets(next));
        }
    }

    private void count(long liveBefore) {
        int letters = random.nextInt(3);
        int jumped = random.nextInt(3);
        deadLetters += letters;
        skipped += jumped;
        actions.add(new Action.AdjustCounters(liveDocs - liveBefore, letters, jumped));
    }

    private void attach() {
        long version = live.version() + 1;
        pkDelta = random.nextInt(5) == 0 ? "" : PATHS.pkDelta(version, ulid());
        deadLetterPath = random.nextBoolean() ? "" : PATHS.deadLetters(version, ulid());
        actions.add(new Action.AttachFiles(pkDelta, deadLetterPath));
    }

    private Ulid ulid() {
        return Ulid.of(live.version(), random.nextInt(), random.nextLong());
    }

    private String uuid() {
        return new UUID(random.nextLong(), random.nextLong()).toString();
    }
}
