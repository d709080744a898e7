package io.loam.store.maintain;

import io.loam.codec.lance.LanceChecksum;
import io.loam.codec.lance.LanceFragment;
import io.loam.codec.lance.LanceIndexSegment;
import io.loam.codec.lance.LanceManifest;
import io.loam.codec.lance.LanceManifestEdit;
import io.loam.codec.lance.LanceManifestEdit.Edited;
import io.loam.codec.lance.NewIndexSegment;
import io.loam.codec.manifest.Action;
import io.loam.codec.manifest.CollectionManifest;
import io.loam.codec.manifest.LanceAction;
import io.loam.codec.manifest.ManifestProperties;
import io.loam.codec.manifest.OpaqueMessage;
import io.loam.codec.manifest.RowIdRange;
import io.loam.codec.manifest.ScalarIndexRef;
import io.loam.codec.manifest.VectorIndexRef;
import io.loam.store.commit.CommitIo;
import io.loam.store.maintain.FinishedWork.FinishedIndex;
import io.loam.store.object.ObjectNotFoundException;
import io.loam.store.object.ObjectStore.Put;

import java.io.IOException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.UUID;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Fits built segments of indexes to a parent, all of them in one new row version:
 *
 * <pre>
 * the segment is there already            published before, and the answer was lost
 * its files are gone, or the work is old  abandoned
 * a fragment it was built over is gone    it covers the others, and every fragment all of whose
 *                                         rows were in those it was built over
 * another segment covers a fragment       it covers the others
 * nothing is left to cover                abandoned
 * </pre>
 *
 * A segment knows rows by their ids, and a row never changes: one that was deleted is not found,
 * and one that moved to another fragment is found there.
 */
final class IndexRebase implements WorkPlanner<FinishedIndex> {
    private final CommitIo io;
    private final long longestMs;
    private final Map<String, byte[]> unstored;

    /**
     * @param longestMs age at which work is abandoned
     * @param unstored objects of the version that is being planned, by path
     */
    IndexRebase(CommitIo io, long longestMs, Map<String, byte[]> unstored) {
        this.io = io;
        this.longestMs = longestMs;
        this.unstored = unstored;
    }

    @Override
    public List<WorkPlan> plan(List<FinishedIndex> works, CollectionManifest parent, long startedMs)
            throws IOException {
        List<WorkPlan> plans = new ArrayList<>();
        if (parent.lanceVersion() == 0) {
            works.forEach(work -> plans.add(new WorkPlan.Abandoned("there are no rows any more")));
            return plans;
        }
        LanceManifest before = rows(parent);
        long version = io.detachedVersion();
        LanceManifestEdit edit = before.edit(version, path -> new byte[0]);
        List<LanceIndexSegment> segments = new ArrayList<>(before.indexSegments());
        List<List<Action>> changes = new ArrayList<>();
        List<String> descriptions = new ArrayList<>();
        for (FinishedIndex work : works) {
            Set<Long> covered = coverage(work, before);
            Set<UUID> removed = replaced(work, segments);
            segments.stream()
                    .filter(s -> s.name().equals(work.segment().name()))
                    .filter(s -> !removed.contains(s.id()))
                    .forEach(s -> covered.removeAll(s.fragments()));
            Optional<WorkPlan> settled = settle(work, segments, covered, startedMs);
            plans.add(settled.orElse(null));
            if (settled.isPresent()) {
                continue;
            }
            byte[] message = work.segment().encode(covered);
            edit.removeIndexes(removed).addIndex(message);
            segments.removeIf(segment -> removed.contains(segment.id()));
            segments.add(of(work, covered));
            changes.add(actions(work, parent, removed, message));
            descriptions.add(description(work, removed, covered));
        }
        if (!changes.isEmpty()) {
            Edited edited = edit.finish(before.nextRowId(), startedMs);
            fill(plans, changes, descriptions, parent, version, edited.manifest());
        }
        return plans;
    }

    private static LanceIndexSegment of(FinishedIndex work, Set<Long> covered) {
        NewIndexSegment built = work.segment();
        return new LanceIndexSegment(built.id(), built.name(), covered, built.files());
    }

    private LanceManifest rows(CollectionManifest parent) throws IOException {
        String path = io.paths().lanceVersion(parent.lanceVersion());
        byte[] bytes = unstored.get(path);
        return bytes == null
                ? io.rows().read(parent, io.reads())
                : io.rows().parse(bytes, path, io.reads());
    }

    private Optional<WorkPlan> settle(
            FinishedIndex work, List<LanceIndexSegment> there, Set<Long> covered, long startedMs)
            throws IOException {
        UUID id = work.segment().id();
        if (there.stream().anyMatch(segment -> segment.id().equals(id))) {
            return Optional.of(new WorkPlan.AlreadyPublished("built segment " + id + " before"));
        }
        if (covered.isEmpty()) {
            return abandoned(
                    "none of the rows of segment "
                            + id
                            + " are there any more that no other segment covers");
        }
        if (startedMs - work.createdAtMs() > longestMs) {
            return Optional.of(WorkPlan.Abandoned.tooOld(work, startedMs, longestMs));
        }
        String folder = io.paths().lanceIndex(id.toString());
        if (io.objects().list(folder).isEmpty()) {
            return abandoned(folder + " is gone");
        }
        return Optional.empty();
    }

    private static Optional<WorkPlan> abandoned(String why) {
        return Optional.of(new WorkPlan.Abandoned(why));
    }

    private Set<Long> coverage(FinishedIndex work, LanceManifest parent) throws IOException {
        Set<Long> built = new HashSet<>(work.task().fragmentIds());
        Set<Long> covered = new TreeSet<>(Long::compareUnsigned);
        Set<Long> others = new HashSet<>();
        for (LanceFragment fragment : parent.fragments()) {
            (built.contains(fragment.id()) ? covered : others).add(fragment.id());
        }
        if (covered.size() < built.size() && !others.isEmpty()) {
            Optional<RowIdCover> rows = rowsBuiltOver(work);
            if (rows.isPresent()) {
                others.stream()
                        .filter(id -> rows.get().holdsAll(parent.rowIds(id)))
                        .forEach(covered::add);
            }
        }
        return covered;
    }

    /** Empty if the version it was built on is not there any more. */
    private Optional<RowIdCover> rowsBuiltOver(FinishedIndex work) throws IOException {
        String path = io.paths().lanceVersion(work.builtOn());
        try {
            byte[] file = io.objects().get(path);
            LanceManifest version = io.rows().parse(file, path, io.reads());
            List<RowIdRange> ranges = new ArrayList<>();
            work.task().fragmentIds().forEach(id -> ranges.addAll(version.rowIds(id)));
            return Optional.of(new RowIdCover(ranges));
        } catch (ObjectNotFoundException e) {
            return Optional.empty();
        }
    }

    private static Set<UUID> replaced(FinishedIndex work, List<LanceIndexSegment> segments) {
        return segments.stream()
                .map(LanceIndexSegment::id)
                .filter(work.task().replaced()::contains)
                .collect(Collectors.toSet());
    }

    private static List<Action> actions(
            FinishedIndex work, CollectionManifest parent, Set<UUID> removed, byte[] message) {
        List<Action> actions = new ArrayList<>();
        Set<String> known =
                Stream.concat(
                                parent.vectorIndexes().stream().map(VectorIndexRef::uuid),
                                parent.scalarIndexes().stream().map(ScalarIndexRef::uuid))
                        .collect(Collectors.toSet());
        removed.stream()
                .map(UUID::toString)
                .filter(known::contains)
                .forEach(uuid -> actions.add(new Action.RemoveIndexRef(uuid)));
        removed.forEach(uuid -> actions.add(new LanceAction.RemoveIndex(uuid)));
        actions.add(new LanceAction.AddIndex(OpaqueMessage.of(message)));
        actions.add(reference(work));
        return actions;
    }

    private static Action reference(FinishedIndex work) {
        MaintenanceTask.BuildIndex task = work.task();
        String uuid = work.segment().id().toString();
        if (task.kind().reference() == null) {
            return new Action.AddScalarIndexRef(
                    new ScalarIndexRef(task.column(), uuid, work.nextRowId(), task.name()));
        }
        return new Action.AddVectorIndexRef(
                new VectorIndexRef(
                        task.column(),
                        uuid,
                        work.nextRowId(),
                        task.name(),
                        task.vectorName(),
                        task.kind().reference()));
    }

    private static String description(FinishedIndex work, Set<UUID> removed, Set<Long> covered) {
        return "index "
                + work.rows()
                + " rows of "
                + covered.size()
                + (covered.size() == 1 ? " fragment in " : " fragments in ")
                + work.task().name()
                + " ("
                + work.task().kind()
                + ")"
                + (removed.isEmpty() ? "" : " in the place of " + removed.size() + " segments");
    }

    /** The change of the row version stands with the first of the works that share it. */
    private void fill(
            List<WorkPlan> plans,
            List<List<Action>> changes,
            List<String> descriptions,
            CollectionManifest parent,
            long version,
            byte[] manifest) {
        int next = 0;
        for (int i = 0; i < plans.size(); i++) {
            if (plans.get(i) != null) {
                continue;
            }
            List<Action> actions = new ArrayList<>();
            List<Put> puts = new ArrayList<>();
            if (next == 0) {
                actions.add(new Action.SetLanceVersion(parent.lanceVersion(), version));
                puts.add(new Put(io.paths().lanceVersion(version), manifest));
            }
            actions.addAll(changes.get(next));
            plans.set(
                    i,
                    new WorkPlan.Change(
                            descriptions.get(next),
                            actions,
                            puts,
                            Map.of(
                                    ManifestProperties.ROW_VERSION,
                                    LanceChecksum.of(version, manifest))));
            next++;
        }
    }
}
