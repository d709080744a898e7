package io.loam.store.commit;

import io.loam.codec.Ulid;
import io.loam.codec.key.PrimaryKey;
import io.loam.codec.manifest.CollectionManifest;
import io.loam.codec.manifest.CollectionPaths;
import io.loam.codec.staged.KeyChange;
import io.loam.codec.staged.KeyListCodec;
import io.loam.codec.staged.StagedUnit;
import io.loam.codec.staged.UnitDescriptor;
import io.loam.store.CollectionHandle;
import io.loam.store.StoredObjects;
import io.loam.store.repair.IndexRebuild;
import io.loam.store.retry.Pause;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.function.Predicate;

/**
 * Removes every document of a collection in one commit. It reads the keys of the live version and
 * deletes each of them, as any writer would: key indexes of jobs that go on later are repaired with
 * the key delta of the commit, and whoever reads changes sees every deletion. Documents, vectors
 * and splits are not read, and no row is written.
 */
public final class Truncation {
    /** Another writer may commit between reading keys and deleting them, but hardly this often. */
    private static final int MOST_ATTEMPTS = 5;

    /** Keys of one list; all lists of a commit are merged in memory, as those of every commit. */
    private static final int DEFAULT_LIST_KEYS = 1 << 20;

    private final CollectionHandle handle;
    private final CommitterOptions options;
    private final String job;
    private final Predicate<PrimaryKey> gone;
    private final int listKeys;
    private final Pause pause;

    /**
     * @param job named in the history
     */
    public Truncation(CollectionHandle handle, CommitterOptions options, String job) {
        this(handle, options, job, DEFAULT_LIST_KEYS, Pause.real());
    }

    /**
     * Removes some documents only.
     *
     * @param gone whose keys these are
     */
    public Truncation(
            CollectionHandle handle,
            CommitterOptions options,
            String job,
            Predicate<PrimaryKey> gone) {
        this(handle, options, job, gone, DEFAULT_LIST_KEYS, Pause.real());
    }

    Truncation(
            CollectionHandle handle,
            CommitterOptions options,
            String job,
            int listKeys,
            Pause pause) {
        this(handle, options, job, key -> true, listKeys, pause);
    }

    private Truncation(
            CollectionHandle handle,
            CommitterOptions options,
            String job,
            Predicate<PrimaryKey> gone,
            int listKeys,
            Pause pause) {
        this.handle = handle;
        this.options = options;
        this.job = job;
        this.gone = gone;
        this.listKeys = listKeys;
        this.pause = pause;
    }

    /**
     * Removes what the live version has, at least; returns how many documents. An empty collection
     * stays at its version.
     *
     * @throws IllegalArgumentException if its commits come from a stream: they would not follow
     *     from it any more
     * @throws LeaseHeldException if a job writes it
     * @throws IOException if other writers published again and again, or something failed
     */
    public long run() throws IOException {
        for (int attempt = 1; ; attempt++) {
            CollectionManifest live = handle.live().manifest();
            requireDirect(live);
            if (live.liveDocCount() == 0) {
                return 0;
            }
            CollectionCommittable committable = stage(live);
            if (committable.units().isEmpty()) {
                return 0;
            }
            try (LinkApplyCommitter committer = new LinkApplyCommitter(handle, options, pause)) {
                committer.commit(committable, false);
                return committable.records();
            } catch (LeaseHeldException e) {
                throw e;
            } catch (IOException e) {
                boolean overtaken = !CommitCheck.follows(committable, handle.live().manifest());
                if (!overtaken || attempt == MOST_ATTEMPTS) {
                    throw e;
                }
            }
        }
    }

    private void requireDirect(CollectionManifest live) {
        CommitMode.DIRECT
                .contradiction(handle.info().namespace() + "." + handle.info().name(), live)
                .ifPresent(
                        why -> {
                            throw new IllegalArgumentException(why);
                        });
    }

    private CollectionCommittable stage(CollectionManifest live) throws IOException {
        Ulid incarnation = handle.ulids().next();
        List<StagedUnit> units = new ArrayList<>();
        List<KeyChange> changes = new ArrayList<>();
        IndexRebuild.scan(
                handle,
                live,
                0,
                1,
                (key, row) -> {
                    if (gone.test(key)) {
                        changes.add(new KeyChange(key, row, null));
                    }
                    if (changes.size() == listKeys) {
                        units.add(upload(changes, incarnation, live));
                        changes.clear();
                    }
                });
        if (!changes.isEmpty()) {
            units.add(upload(changes, incarnation, live));
        }
        long keys = units.stream().mapToLong(StagedUnit::keyChanges).sum();
        return new CollectionCommittable(
                UUID.randomUUID().toString(),
                ApplyProperties.lastCommit(live.properties()),
                incarnation,
                1,
                CommitMode.DIRECT,
                "truncation",
                job,
                keys,
                units,
                Map.of());
    }

    /** A unit of keys only. */
    private StagedUnit upload(List<KeyChange> changes, Ulid incarnation, CollectionManifest live)
            throws IOException {
        CollectionPaths paths = handle.paths();
        long nowMs = handle.ulids().timeMs();
        Ulid unit = handle.ulids().next(nowMs);
        String list = paths.stagedKeys(unit);
        byte[] keys = KeyListCodec.encode(changes);
        StoredObjects.announce(
                handle.objects(),
                paths,
                new UnitDescriptor(unit, incarnation, nowMs, List.of(list)));
        handle.objects().put(list, keys);
        StoredObjects.stored(list);
        return new StagedUnit(
                unit,
                nowMs,
                live.schemaVersion(),
                0,
                live.rowIdHighWater(),
                0,
                "",
                0,
                List.of(),
                null,
                changes.size(),
                keys.length,
                0,
                0);
    }
}
