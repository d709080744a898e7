package io.loam.store.maintain;

import io.loam.codec.lance.LanceChecksum;
import io.loam.codec.lance.LanceFragment;
import io.loam.codec.lance.LanceIndexSegment;
import io.loam.codec.lance.LanceManifest;
import io.loam.codec.lance.LanceManifestEdit.Edited;
import io.loam.codec.manifest.Action;
import io.loam.codec.manifest.CollectionManifest;
import io.loam.codec.manifest.LanceAction;
import io.loam.codec.manifest.ManifestProperties;
import io.loam.codec.manifest.SplitRef;
import io.loam.store.commit.CommitIo;
import io.loam.store.maintain.FinishedWork.Clean;
import io.loam.store.maintain.FinishedWork.ErasureStep;
import io.loam.store.object.ObjectStore.Put;

import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Fits a step of an erasure to a parent:
 *
 * <pre>
 * a mark                                     always
 * a release, and the parent has a split or a
 *   data file that nobody looked through     abandoned; to be looked through, and tried again
 * a release                                  takes all other index segments and all hot artifacts
 *                                            away, and ends what is retained at this version
 * </pre>
 */
final class ErasureRebase implements WorkPlanner<ErasureStep> {
    private final CommitIo io;

    ErasureRebase(CommitIo io) {
        this.io = io;
    }

    @Override
    public List<WorkPlan> plan(List<ErasureStep> works, CollectionManifest parent, long startedMs)
            throws IOException {
        List<WorkPlan> plans = new ArrayList<>();
        for (ErasureStep work : works) {
            Action mark = new Action.EraseMark(work.erasure().toString(), work.offsets());
            plans.add(
                    work.clean() == null
                            ? new WorkPlan.Change(
                                    "erase " + work.erasure() + ": purge",
                                    List.of(mark),
                                    List.of(),
                                    Map.of())
                            : release(work, mark, parent, startedMs));
        }
        return plans;
    }

    private WorkPlan release(
            ErasureStep work, Action mark, CollectionManifest parent, long startedMs)
            throws IOException {
        Clean clean = work.clean();
        Optional<SplitRef> split =
                parent.splits().stream().filter(s -> !clean.splits().contains(s.ulid())).findAny();
        if (split.isPresent()) {
            return new WorkPlan.Abandoned("split " + split.get().ulid() + " is new");
        }
        List<Action> actions = new ArrayList<>();
        List<Put> puts = new ArrayList<>();
        Map<String, String> properties = new HashMap<>();
        properties.put(ManifestProperties.RELEASES_HISTORY, work.erasure().toString());
        if (parent.lanceVersion() != 0) {
            LanceManifest rows = io.rows().read(parent, io.reads());
            Optional<String> file =
                    rows.fragments().stream()
                            .map(LanceFragment::dataFiles)
                            .flatMap(List::stream)
                            .filter(name -> !clean.dataFiles().contains(name))
                            .findAny();
            if (file.isPresent()) {
                return new WorkPlan.Abandoned(file.get() + " is new");
            }
            dropIndexes(clean, rows, parent, startedMs, actions, puts, properties);
        }
        parent.hotArtifacts()
                .forEach(hot -> actions.add(new Action.RemoveHotArtifact(hot.column())));
        actions.add(mark);
        return new WorkPlan.Change(
                "erase " + work.erasure() + ": release", actions, puts, properties);
    }

    private void dropIndexes(
            Clean clean,
            LanceManifest rows,
            CollectionManifest parent,
            long startedMs,
            List<Action> actions,
            List<Put> puts,
            Map<String, String> properties) {
        Set<UUID> dropped =
                rows.indexSegments().stream()
                        .map(LanceIndexSegment::id)
                        .filter(id -> !clean.indexes().contains(id))
                        .collect(Collectors.toSet());
        if (dropped.isEmpty()) {
            return;
        }
        long version = io.detachedVersion();
        Edited edited =
                rows.edit(version, path -> new byte[0])
                        .removeIndexes(dropped)
                        .finish(rows.nextRowId(), startedMs);
        actions.add(new Action.SetLanceVersion(parent.lanceVersion(), version));
        Stream.concat(
                        parent.vectorIndexes().stream().map(index -> index.uuid()),
                        parent.scalarIndexes().stream().map(index -> index.uuid()))
                .filter(uuid -> dropped.contains(UUID.fromString(uuid)))
                .forEach(uuid -> actions.add(new Action.RemoveIndexRef(uuid)));
        dropped.forEach(id -> actions.add(new LanceAction.RemoveIndex(id)));
        puts.add(new Put(io.paths().lanceVersion(version), edited.manifest()));
        properties.put(
                ManifestProperties.ROW_VERSION, LanceChecksum.of(version, edited.manifest()));
    }
}
