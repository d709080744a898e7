package io.loam.store.maintain;

import io.loam.codec.CorruptException;
import io.loam.codec.lance.CompactedFile;
import io.loam.codec.lance.LanceChecksum;
import io.loam.codec.lance.LanceFragment;
import io.loam.codec.lance.LanceManifest;
import io.loam.codec.lance.LanceManifest.Compactable;
import io.loam.codec.lance.LanceManifestEdit;
import io.loam.codec.lance.LanceManifestEdit.Edited;
import io.loam.codec.manifest.Action;
import io.loam.codec.manifest.CollectionManifest;
import io.loam.codec.manifest.LanceAction;
import io.loam.codec.manifest.ManifestProperties;
import io.loam.store.commit.CommitIo;
import io.loam.store.maintain.FinishedWork.CompactedFragments;
import io.loam.store.maintain.FinishedWork.NewFragment;
import io.loam.store.object.ObjectStore.Put;

import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Fits compacted fragments to a parent, all of them in one new row version:
 *
 * <pre>
 * a new data file is there already      published before, and the answer was lost
 * an old fragment is not there          abandoned
 * an index covers some of them only     abandoned
 * a file is gone, or the work is old    abandoned
 * a live row would be lost              abandoned
 * rows deleted since the build          become the new fragment's first deletion file
 * all of them                           the old fragments are removed, and nothing is added
 * </pre>
 *
 * Rows deleted since are told from the old fragments' deletion files as they are on the parent. So
 * deletions never stand in the way of a compaction, and it brings no row back.
 */
final class CompactionRebase implements WorkPlanner<CompactedFragments> {
    private final CommitIo io;
    private final long longestMs;

    /**
     * @param longestMs age at which work is abandoned
     */
    CompactionRebase(CommitIo io, long longestMs) {
        this.io = io;
        this.longestMs = longestMs;
    }

    @Override
    public List<WorkPlan> plan(
            List<CompactedFragments> works, CollectionManifest parent, long startedMs)
            throws IOException {
        if (parent.lanceVersion() == 0) {
            return works.stream()
                    .<WorkPlan>map(work -> new WorkPlan.Abandoned("there are no rows any more"))
                    .toList();
        }
        LanceManifest before = io.rows().read(parent, io.reads());
        Parent rows = new Parent(before);
        Map<String, byte[]> deletionFiles = deletionFiles(before, works);
        List<CompactedFragments> fitting = new ArrayList<>();
        List<WorkPlan> plans = new ArrayList<>();
        for (CompactedFragments work : works) {
            Optional<WorkPlan> settled =
                    settle(work, rows, startedMs)
                            .or(
                                    () ->
                                            misfit(
                                                    work,
                                                    before.edit(
                                                            Long.MIN_VALUE, deletionFiles::get)));
            if (settled.isEmpty()) {
                work.fragmentIds().forEach(rows.there::remove);
                fitting.add(work);
            }
            plans.add(settled.orElse(null));
        }
        if (!fitting.isEmpty()) {
            Edit edit = edit(before, fitting, deletionFiles, parent, startedMs);
            for (int i = 0; i < plans.size(); i++) {
                if (plans.get(i) == null) {
                    plans.set(i, change(works.get(i), rows, edit));
                    edit = Edit.NOTHING_MORE;
                }
            }
        }
        return plans;
    }

    /** What is known of the parent's row version. */
    private static final class Parent {
        private final Map<Long, Compactable> fragments;
        private final Set<Long> there;
        private final Set<String> dataFiles;

        Parent(LanceManifest version) {
            this.fragments =
                    version.compactable().stream()
                            .collect(Collectors.toMap(f -> f.fragment().id(), f -> f));
            this.there = new HashSet<>(fragments.keySet());
            this.dataFiles = version.dataFileSizes().keySet();
        }
    }

    private Optional<WorkPlan> settle(CompactedFragments work, Parent rows, long startedMs)
            throws IOException {
        for (NewFragment added : work.added()) {
            if (rows.dataFiles.contains("data/" + added.dataFile())) {
                return Optional.of(
                        new WorkPlan.AlreadyPublished(
                                "compacted into " + added.dataFile() + " before"));
            }
        }
        for (long id : work.fragmentIds()) {
            if (!rows.there.contains(id)) {
                return abandoned(
                        "fragment "
                                + Long.toUnsignedString(id)
                                + " was compacted or removed meanwhile");
            }
        }
        long indexed =
                work.fragmentIds().stream()
                        .map(id -> rows.fragments.get(id).indexes())
                        .distinct()
                        .count();
        if (indexed > 1) {
            return abandoned(
                    "fragments " + work.fragmentIds() + " are not under the same indexes any more");
        }
        if (startedMs - work.createdAtMs() > longestMs) {
            return Optional.of(WorkPlan.Abandoned.tooOld(work, startedMs, longestMs));
        }
        for (NewFragment added : work.added()) {
            String data = io.paths().lanceData(added.dataFile());
            if (!io.has(data, added.bytes())) {
                return abandoned(data + " is gone, or not the file that was written");
            }
            String rowIds = io.paths().lance() + added.rowIdFile();
            if (added.rowIdFile() != null && !io.has(rowIds, added.rowIds().length)) {
                return abandoned(rowIds + " is gone, or not the file that was written");
            }
        }
        return Optional.empty();
    }

    private static Optional<WorkPlan> abandoned(String why) {
        return Optional.of(new WorkPlan.Abandoned(why));
    }

    /** The one change of the row version that all fitting works share. */
    private record Edit(List<Action> actions, List<Put> puts, Map<String, String> properties) {
        static final Edit NOTHING_MORE = new Edit(List.of(), List.of(), Map.of());
    }

    private Edit edit(
            LanceManifest before,
            List<CompactedFragments> works,
            Map<String, byte[]> deletionFiles,
            CollectionManifest parent,
            long startedMs) {
        long version = io.detachedVersion();
        LanceManifestEdit edit = before.edit(version, deletionFiles::get);
        for (CompactedFragments work : works) {
            work.added().forEach(added -> edit.ensureColumns(added.columns()));
            edit.replaceFragments(
                    work.fragmentIds(), work.added().stream().map(CompactionRebase::file).toList());
        }
        Edited edited = edit.finish(before.nextRowId(), startedMs);
        List<Action> actions = new ArrayList<>();
        actions.add(new Action.SetLanceVersion(parent.lanceVersion(), version));
        if (!edited.addedFragments().isEmpty()) {
            actions.add(LanceAction.AddFragments.ofBytes(edited.addedFragments()));
        }
        actions.add(new LanceAction.RemoveFragments(edited.removedFragments()));
        List<Put> puts = new ArrayList<>();
        edited.deletionFiles()
                .forEach(file -> puts.add(new Put(io.paths().lance() + file.path(), file.bytes())));
        puts.add(new Put(io.paths().lanceVersion(version), edited.manifest()));
        return new Edit(
                actions,
                puts,
                Map.of(
                        ManifestProperties.ROW_VERSION,
                        LanceChecksum.of(version, edited.manifest())));
    }

    private static void replace(LanceManifestEdit edit, CompactedFragments work) {
        work.added().forEach(added -> edit.ensureColumns(added.columns()));
        edit.replaceFragments(
                work.fragmentIds(), work.added().stream().map(CompactionRebase::file).toList());
    }

    /** One work that would lose rows, or whose deletions are damaged, keeps no other back. */
    private static Optional<WorkPlan> misfit(CompactedFragments work, LanceManifestEdit trial) {
        try {
            replace(trial, work);
            return Optional.empty();
        } catch (CorruptException e) {
            return abandoned(e.getMessage());
        }
    }

    private static CompactedFile file(NewFragment added) {
        return new CompactedFile(
                added.dataFile(),
                added.bytes(),
                added.columns(),
                added.rows(),
                added.rowIds(),
                added.rowIdFile());
    }

    private Map<String, byte[]> deletionFiles(LanceManifest before, List<CompactedFragments> works)
            throws IOException {
        Set<Long> gone =
                works.stream()
                        .flatMap(work -> work.fragmentIds().stream())
                        .collect(Collectors.toSet());
        List<String> paths =
                before.fragments().stream()
                        .filter(fragment -> gone.contains(fragment.id()))
                        .map(LanceFragment::deletionFile)
                        .filter(Objects::nonNull)
                        .toList();
        List<byte[]> read =
                io.reads().map(paths, path -> io.objects().get(io.paths().lance() + path));
        Map<String, byte[]> files = new HashMap<>();
        for (int i = 0; i < paths.size(); i++) {
            files.put(paths.get(i), read.get(i));
        }
        return files;
    }

    private WorkPlan.Change change(CompactedFragments work, Parent rows, Edit edit) {
        List<LanceFragment> gone =
                work.fragmentIds().stream().map(id -> rows.fragments.get(id).fragment()).toList();
        long physical = gone.stream().mapToLong(LanceFragment::physicalRows).sum();
        long live = gone.stream().mapToLong(LanceFragment::liveRows).sum();
        long written = work.added().stream().mapToLong(NewFragment::rows).sum();
        String description =
                "compact "
                        + gone.size()
                        + (gone.size() == 1 ? " fragment of " : " fragments of ")
                        + physical
                        + " rows ("
                        + (physical - live)
                        + " deleted) into "
                        + (live == 0
                                ? "nothing"
                                : "one of " + written + " rows (" + (written - live) + " deleted)");
        return new WorkPlan.Change(description, edit.actions(), edit.puts(), edit.properties());
    }
}
