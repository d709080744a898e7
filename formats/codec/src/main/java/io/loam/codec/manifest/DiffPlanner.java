package io.loam.codec.manifest;

import io.loam.codec.Ulid;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Function;

/** Computes the canonical actions between two manifests; used once. */
final class DiffPlanner {
    private final CollectionManifest parent;
    private final CollectionManifest child;
    private final List<Action> actions = new ArrayList<>();

    DiffPlanner(CollectionManifest parent, CollectionManifest child) {
        this.parent = parent;
        this.child = child;
    }

    List<Action> plan() {
        if (parent.lanceVersion() != child.lanceVersion()) {
            actions.add(new Action.SetLanceVersion(parent.lanceVersion(), child.lanceVersion()));
        }
        planSplits();
        planIndexes();
        planHotArtifacts();
        planOffsets();
        if (parent.schemaVersion() != child.schemaVersion()) {
            actions.add(new Action.SetSchemaVersion(child.schemaVersion()));
        }
        planCounters();
        if (!child.pkDelta().isEmpty() || !child.deadLetters().isEmpty()) {
            actions.add(new Action.AttachFiles(child.pkDelta(), child.deadLetters()));
        }
        return actions;
    }

    private void planSplits() {
        Map<Ulid, SplitRef> survivors = survivors();
        parent.splits().stream()
                .map(SplitRef::ulid)
                .filter(ulid -> !survivors.containsKey(ulid))
                .sorted()
                .forEach(ulid -> actions.add(new Action.RemoveSplit(ulid)));
        child.splits().stream()
                .filter(s -> survivors.containsKey(s.ulid()))
                .filter(s -> !sameDeletions(s, survivors.get(s.ulid())))
                .sorted(Comparator.comparing(SplitRef::ulid))
                .forEach(
                        s ->
                                actions.add(
                                        new Action.UpdateSplit(
                                                s.ulid(), s.deletedCount(), s.deleteBitmap())));
        for (int i = 0; i < child.splits().size(); i++) {
            if (!survivors.containsKey(child.splits().get(i).ulid())) {
                actions.add(new Action.AddSplit(child.splits().get(i), i));
            }
        }
    }

    /**
     * The parent's splits that stay: they are in the child, too, equal but for deletions, and in
     * the same order. When the order changed, whoever would step back behind the last one kept
     * moves.
     */
    private Map<Ulid, SplitRef> survivors() {
        Map<Ulid, Integer> positions = new HashMap<>();
        for (int i = 0; i < parent.splits().size(); i++) {
            positions.put(parent.splits().get(i).ulid(), i);
        }
        Map<Ulid, SplitRef> survivors = new HashMap<>();
        int last = -1;
        for (SplitRef split : child.splits()) {
            int position = positions.getOrDefault(split.ulid(), -1);
            if (position > last
                    && ManifestComparison.sameButDeletions(split, parent.splits().get(position))) {
                survivors.put(split.ulid(), parent.splits().get(position));
                last = position;
            }
        }
        return survivors;
    }

    private static boolean sameDeletions(SplitRef a, SplitRef b) {
        return a.deletedCount() == b.deletedCount() && a.deleteBitmap().equals(b.deleteBitmap());
    }

    private void planIndexes() {
        Set<String> vectors =
                goneUuids(parent.vectorIndexes(), child.vectorIndexes(), VectorIndexRef::uuid);
        Set<String> scalars =
                goneUuids(parent.scalarIndexes(), child.scalarIndexes(), ScalarIndexRef::uuid);
        Set<String> gone = new HashSet<>(vectors);
        vectors.forEach(uuid -> actions.add(new Action.RemoveIndexRef(uuid)));
        scalars.stream()
                .filter(gone::add)
                .forEach(uuid -> actions.add(new Action.RemoveIndexRef(uuid)));
        Set<VectorIndexRef> oldVectors = new HashSet<>(parent.vectorIndexes());
        child.vectorIndexes().stream()
                .distinct()
                .filter(index -> gone.contains(index.uuid()) || !oldVectors.contains(index))
                .sorted(ManifestEditor.VECTOR_ORDER)
                .forEach(index -> actions.add(new Action.AddVectorIndexRef(index)));
        Set<ScalarIndexRef> oldScalars = new HashSet<>(parent.scalarIndexes());
        child.scalarIndexes().stream()
                .distinct()
                .filter(index -> gone.contains(index.uuid()) || !oldScalars.contains(index))
                .sorted(ManifestEditor.SCALAR_ORDER)
                .forEach(index -> actions.add(new Action.AddScalarIndexRef(index)));
    }

    private static <T> Set<String> goneUuids(
            List<T> before, List<T> after, Function<T, String> uuid) {
        Set<T> kept = new HashSet<>(after);
        Set<String> gone = new TreeSet<>();
        for (T index : before) {
            if (!kept.contains(index)) {
                gone.add(uuid.apply(index));
            }
        }
        return gone;
    }

    private void planHotArtifacts() {
        Map<String, HotArtifactRef> before = byColumn(parent.hotArtifacts());
        Map<String, HotArtifactRef> after = byColumn(child.hotArtifacts());
        before.keySet().stream()
                .filter(column -> !after.containsKey(column))
                .forEach(column -> actions.add(new Action.RemoveHotArtifact(column)));
        after.forEach(
                (column, artifact) -> {
                    if (!artifact.equals(before.get(column))) {
                        actions.add(new Action.SetHotArtifact(artifact));
                    }
                });
    }

    private static Map<String, HotArtifactRef> byColumn(List<HotArtifactRef> artifacts) {
        Map<String, HotArtifactRef> byColumn = new TreeMap<>();
        artifacts.forEach(artifact -> byColumn.put(artifact.column(), artifact));
        return byColumn;
    }

    private void planOffsets() {
        Map<Integer, Long> next = new TreeMap<>();
        for (Map.Entry<Integer, Long> entry : child.applied().entrySet()) {
            if (!entry.getValue().equals(parent.applied().get(entry.getKey()))) {
                next.put(entry.getKey(), entry.getValue());
            }
        }
        for (Map.Entry<Integer, Long> entry : parent.applied().entrySet()) {
            Long after = child.applied().get(entry.getKey());
            if (after == null || Long.compareUnsigned(after, entry.getValue()) < 0) {
                throw new ManifestDiffException(
                        "no action takes back the offset of partition "
                                + Integer.toUnsignedString(entry.getKey())
                                + " from "
                                + Long.toUnsignedString(entry.getValue())
                                + " to "
                                + (after == null ? "nothing" : Long.toUnsignedString(after)));
            }
        }
        if (!next.isEmpty()) {
            actions.add(new Action.AdvanceOffsets(next));
        }
    }

    private void planCounters() {
        long live = child.liveDocCount() - parent.liveDocCount();
        long letters =
                growth("dead_letters_total", parent.deadLettersTotal(), child.deadLettersTotal());
        long skipped =
                growth(
                        "skipped_offsets_total",
                        parent.skippedOffsetsTotal(),
                        child.skippedOffsetsTotal());
        if (live != 0 || letters != 0 || skipped != 0) {
            actions.add(new Action.AdjustCounters(live, letters, skipped));
        }
    }

    private static long growth(String total, long before, long after) {
        if (Long.compareUnsigned(after, before) < 0) {
            throw new ManifestDiffException(
                    "no action takes back "
                            + total
                            + " from "
                            + Long.toUnsignedString(before)
                            + " to "
                            + Long.toUnsignedString(after));
        }
        return after - before;
    }
}
