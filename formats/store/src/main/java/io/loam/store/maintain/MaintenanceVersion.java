package io.loam.store.maintain;

import io.loam.codec.Ulid;
import io.loam.codec.manifest.CollectionManifest;
import io.loam.codec.manifest.CommitKind;
import io.loam.codec.manifest.ManifestCodec;
import io.loam.codec.manifest.ManifestDiff;
import io.loam.codec.manifest.ManifestProperties;
import io.loam.codec.manifest.UserAction;
import io.loam.codec.manifest.UserOperation;
import io.loam.codec.manifest.UserOperationCodec;
import io.loam.store.LiveManifest;
import io.loam.store.commit.CommitIo;
import io.loam.store.maintain.FinishedWork.CompactedFragments;
import io.loam.store.maintain.FinishedWork.ErasureStep;
import io.loam.store.maintain.FinishedWork.FinishedHot;
import io.loam.store.maintain.FinishedWork.FinishedIndex;
import io.loam.store.maintain.FinishedWork.MergedSplits;
import io.loam.store.maintain.MaintenanceOutcome.Fate;
import io.loam.store.maintain.MaintenanceOutcome.Result;
import io.loam.store.object.ObjectStore.Put;

import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;

/**
 * The version that finished work makes of one parent. What the last apply commit left in the
 * properties goes on: writers find their place by it, and an apply commit may follow this version
 * as it may follow the parent.
 */
final class MaintenanceVersion {
    private final LiveManifest live;
    private final long startedMs;
    private final CommitIo io;
    private final List<UserAction> steps = new ArrayList<>();
    private final List<Put> objects = new ArrayList<>();
    private final List<Result> results = new ArrayList<>();
    private final Map<String, String> properties;
    private CollectionManifest manifest;
    private Put manifestPut;

    private MaintenanceVersion(LiveManifest live, long startedMs, CommitIo io) {
        this.live = live;
        this.manifest = live.manifest();
        this.startedMs = startedMs;
        this.io = io;
        this.properties = new HashMap<>(live.manifest().properties());
        // These are of the parent's own commit.
        properties.remove(ManifestProperties.PK_DELTA);
        properties.remove(ManifestProperties.DEAD_LETTERS);
        properties.remove(ManifestProperties.ROWLESS_UNITS);
        properties.remove(ManifestProperties.RELEASES_HISTORY);
    }

    static MaintenanceVersion plan(
            List<FinishedWork> works,
            LiveManifest live,
            long startedMs,
            int attempt,
            UUID uuid,
            CommitIo io,
            MaintenanceOptions options)
            throws IOException {
        MaintenanceVersion version = new MaintenanceVersion(live, startedMs, io);
        long longestMs = options.stagingRetentionMs() / 2;
        Map<FinishedWork, Result> results = new IdentityHashMap<>();
        version.add(works, MergedSplits.class, new MergeRebase(io, longestMs), results);
        version.add(works, CompactedFragments.class, new CompactionRebase(io, longestMs), results);
        Map<String, byte[]> unstored = new HashMap<>();
        version.objects.forEach(put -> unstored.put(put.path(), put.bytes()));
        long compacted = version.manifest.lanceVersion();
        IndexRebase indexes = new IndexRebase(io, longestMs, unstored);
        version.add(works, FinishedIndex.class, indexes, results);
        version.add(works, FinishedHot.class, new HotRebase(io, longestMs), results);
        if (version.manifest.lanceVersion() != compacted) {
            // Nobody will name the row version between the two.
            String between = io.paths().lanceVersion(compacted);
            version.objects.removeIf(put -> put.path().equals(between));
        }
        version.add(works, ErasureStep.class, new ErasureRebase(io), results);
        works.forEach(work -> version.results.add(results.get(work)));
        if (version.changesAnything()) {
            boolean nothingElse = works.stream().allMatch(FinishedIndex.class::isInstance);
            version.finish(
                    options.actor(),
                    attempt,
                    uuid,
                    nothingElse ? CommitKind.INDEX_BUILD : CommitKind.MAINTENANCE);
        }
        return version;
    }

    private <W extends FinishedWork> void add(
            List<FinishedWork> works,
            Class<W> kind,
            WorkPlanner<W> planner,
            Map<FinishedWork, Result> into)
            throws IOException {
        List<W> ofKind = works.stream().filter(kind::isInstance).map(kind::cast).toList();
        if (ofKind.isEmpty()) {
            return;
        }
        List<WorkPlan> plans = planner.plan(ofKind, manifest, startedMs);
        for (int i = 0; i < plans.size(); i++) {
            into.put(ofKind.get(i), add(ofKind.get(i), plans.get(i)));
        }
    }

    private Result add(FinishedWork work, WorkPlan plan) {
        if (plan instanceof WorkPlan.Change change) {
            manifest =
                    ManifestDiff.apply(
                            manifest, CommitKind.MAINTENANCE, startedMs, change.actions());
            steps.add(new UserAction(change.description(), change.actions()));
            objects.addAll(change.objects());
            properties.putAll(change.properties());
            return new Result(work, Fate.PUBLISHED, change.description());
        }
        if (plan instanceof WorkPlan.AlreadyPublished before) {
            return new Result(work, Fate.PUBLISHED, before.description());
        }
        return new Result(work, Fate.ABANDONED, ((WorkPlan.Abandoned) plan).reason());
    }

    private void finish(String actor, int attempt, UUID uuid, CommitKind kind) {
        CollectionManifest parent = live.manifest();
        CollectionManifest child =
                new CollectionManifest(
                        parent.version() + 1,
                        parent.version(),
                        parent.collectionId(),
                        parent.schemaVersion(),
                        startedMs,
                        manifest.lanceVersion(),
                        manifest.splits(),
                        manifest.vectorIndexes(),
                        manifest.hotArtifacts(),
                        parent.applied(),
                        parent.liveDocCount(),
                        live.path(),
                        kind,
                        "",
                        "",
                        parent.deadLettersTotal(),
                        parent.skippedOffsetsTotal(),
                        manifest.scalarIndexes(),
                        null,
                        "",
                        properties,
                        parent.rowIdHighWater());
        UserOperation operation =
                new UserOperation(
                        uuid,
                        parent.version(),
                        steps,
                        kind,
                        startedMs,
                        actor,
                        Map.of("works", Integer.toString(steps.size())),
                        attempt);
        if (!ManifestDiff.sameContent(ManifestDiff.apply(parent, operation), child)) {
            throw new IllegalStateException(
                    "maintenance of version "
                            + parent.version()
                            + ": its actions do not give its manifest; nothing was published");
        }
        manifest = explained(child, operation);
        String path = io.paths().manifest(manifest.version(), ulid());
        manifestPut = new Put(path, ManifestCodec.encode(manifest));
    }

    private CollectionManifest explained(CollectionManifest child, UserOperation operation) {
        if (UserOperationCodec.encodeBody(operation).length
                <= UserOperationCodec.MAX_INLINE_BYTES) {
            return child.withOperation(operation, "");
        }
        String path = io.paths().operation(child.version(), ulid());
        objects.add(new Put(path, UserOperationCodec.encode(operation)));
        return child.withOperation(null, path);
    }

    private Ulid ulid() {
        return io.ulids().get();
    }

    /** Whether there is a version to publish at all. */
    boolean changesAnything() {
        return !steps.isEmpty();
    }

    CollectionManifest manifest() {
        return manifest;
    }

    /** To be stored before the manifest. */
    List<Put> objects() {
        return objects;
    }

    Put manifestPut() {
        return manifestPut;
    }

    /** In the order of the works. */
    List<Result> results() {
        return results;
    }
}
