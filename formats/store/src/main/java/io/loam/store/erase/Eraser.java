package io.loam.store.erase;

import io.loam.codec.Ulid;
import io.loam.codec.erase.ErasureNote;
import io.loam.codec.erase.ErasureRequest;
import io.loam.codec.key.PrimaryKey;
import io.loam.codec.manifest.CollectionManifest;
import io.loam.store.CollectionHandle;
import io.loam.store.FailPoint;
import io.loam.store.chain.Retention;
import io.loam.store.commit.CommitMode;
import io.loam.store.commit.CommitterOptions;
import io.loam.store.commit.Truncation;
import io.loam.store.gc.GarbageCollector;
import io.loam.store.gc.GcLease;
import io.loam.store.gc.GcOptions;
import io.loam.store.gc.GcResult;
import io.loam.store.maintain.MaintenanceOptions;
import io.loam.store.maintain.RoundLeases;
import io.loam.store.metastore.MetastoreException;
import io.loam.store.metastore.MetastoreException.Code;
import io.loam.store.retry.Pause;
import io.loam.store.trim.StreamLog;
import io.loam.store.trim.StreamTrimmer;

import javax.annotation.Nullable;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * Carries out an erasure, from wherever an earlier attempt came to:
 *
 * <pre>
 * 1  the deletions are applied: waited for, or made here where there is no stream
 * 2  {@link Purge}: what holds the documents is written anew, and everything older is released
 * 3  {@link TaggedCopies}: older tags name copies
 * 4  the stream is trimmed up to the request's offsets
 * 5  after the grace, the objects of released versions are deleted
 * 6  {@link LeftoverScan}: if nothing is left, the record of completion is put
 * </pre>
 *
 * Every step may be done twice. The one thing that must not be lost between two attempts is the
 * secret; where keys are not given again, they are recognised by their hashes.
 */
public final class Eraser {
    private static final long POLL_MS = 500;
    private static final int MOST_PASSES = 10_000;

    private final CollectionHandle handle;
    private final EraseOptions options;
    private final Path workDir;
    private final Consumer<String> progress;
    private final Pause pause;
    private final ErasureRecords records;

    /**
     * @param workDir for files being built, exists
     * @param progress told of every step, for people
     */
    public Eraser(
            CollectionHandle handle,
            EraseOptions options,
            Path workDir,
            Consumer<String> progress,
            Pause pause) {
        this.handle = handle;
        this.options = options;
        this.workDir = workDir;
        this.progress = progress;
        this.pause = pause;
        this.records = new ErasureRecords(handle.objects(), handle.info().namespaceId());
    }

    /**
     * Stores a request.
     *
     * @param offsets by partition, the offset after the last record that may hold a key; empty for
     *     a collection without a stream
     */
    public ErasureRequest request(
            Collection<PrimaryKey> keys, Map<Integer, Long> offsets, ErasureSecret secret)
            throws IOException {
        if (keys.isEmpty()) {
            throw new IllegalArgumentException("an erasure needs a key");
        }
        long nowMs = handle.metastore().clockMs();
        Ulid id = handle.ulids().next(nowMs);
        List<byte[]> hashes =
                keys.stream()
                        .distinct()
                        .map(key -> secret.hash(key.canonical()))
                        .sorted(Arrays::compareUnsigned)
                        .toList();
        ErasureRequest request =
                new ErasureRequest(
                        id,
                        handle.info().namespaceId(),
                        handle.info().id(),
                        nowMs,
                        nowMs + EraseOptions.DEADLINE_MS,
                        options.owner(),
                        options.tagged(),
                        secret.check(id),
                        hashes,
                        offsets);
        records.put(request);
        FailPoint.ERASURE_REQUESTED.reach();
        return request;
    }

    /**
     * Carries a request out.
     *
     * @param sequences of the documents, to look for at the end
     * @param log the stream; null if there is none
     * @return what is left; the erasure is complete if that is nothing
     * @throws IOException if it cannot go on now; what is done stays done
     */
    public Leftovers run(
            ErasureRequest request,
            ErasedKeys keys,
            Collection<byte[]> sequences,
            @Nullable StreamLog log)
            throws IOException {
        requireOwn(request);
        awaitDeletion(request, keys);
        ErasureNote released = release(request, keys);
        progress.accept("everything before version " + released.version() + " is released");
        new TaggedCopies(handle, request, keys, maintenance(), workDir)
                .run(released.version(), progress);
        FailPoint.ERASURE_TAGGED.reach();
        if (log != null && !request.offsets().isEmpty()) {
            long gone =
                    new StreamTrimmer(handle, log, Retention.DEFAULT, 0)
                            .runTo(options.owner(), request.offsets())
                            .goes();
            progress.accept("the stream is trimmed by " + gone + " records");
        }
        FailPoint.ERASURE_TRIMMED.reach();
        awaitGrace(released);
        sweep();
        FailPoint.ERASURE_SWEPT.reach();
        Leftovers left = LeftoverScan.of(handle, keys, sequences);
        if (left.none()) {
            records.putCompletion(
                    new ErasureNote(
                            request.id(),
                            handle.metastore().clockMs(),
                            released.version(),
                            left.objects(),
                            left.bytes()));
        }
        return left;
    }

    private void requireOwn(ErasureRequest request) {
        if (request.collectionId() != handle.info().id()) {
            throw new IllegalArgumentException(
                    "erasure "
                            + request.id()
                            + " is about collection "
                            + request.collectionId()
                            + ", not "
                            + handle.info().name());
        }
    }

    private void awaitDeletion(ErasureRequest request, ErasedKeys keys) throws IOException {
        if (request.offsets().isEmpty()) {
            if (CommitMode.isDirect(handle.live().manifest())) {
                long deleted =
                        new Truncation(
                                        handle,
                                        CommitterOptions.of(options.owner()),
                                        "erase " + request.id(),
                                        key -> keys.holds(key.canonical()))
                                .run();
                progress.accept(deleted + " documents are deleted");
            }
            return;
        }
        long deadlineMs = handle.metastore().clockMs() + options.applyWaitMs();
        CollectionManifest live = handle.live().manifest();
        while (!isApplied(request, live)) {
            if (handle.metastore().clockMs() >= deadlineMs) {
                throw new IOException(
                        "the deletions of erasure "
                                + request.id()
                                + " are not applied yet: version "
                                + live.version()
                                + " has applied "
                                + live.applied()
                                + ", they end at "
                                + request.offsets()
                                + "; see that the apply job runs, and resume");
            }
            pause.of(POLL_MS);
            live = handle.live().manifest();
        }
        progress.accept("the deletions are applied by version " + live.version());
    }

    private static boolean isApplied(ErasureRequest request, CollectionManifest live) {
        return request.offsets().entrySet().stream()
                .allMatch(
                        entry ->
                                live.applied().getOrDefault(entry.getKey(), 0L)
                                        >= entry.getValue());
    }

    private MaintenanceOptions maintenance() {
        return MaintenanceOptions.of(options.owner());
    }

    private ErasureNote release(ErasureRequest request, ErasedKeys keys) throws IOException {
        Optional<ErasureNote> before = records.released(request.id());
        if (before.isPresent()) {
            return before.get();
        }
        MaintenanceOptions maintenance = maintenance();
        long version;
        try (RoundLeases leases = leases(maintenance)) {
            version = new Purge(handle, request, keys, maintenance, workDir).run(leases);
        }
        FailPoint.ERASURE_RELEASED.reach();
        ErasureNote note =
                new ErasureNote(request.id(), handle.metastore().clockMs(), version, 0, 0);
        records.putReleased(note);
        return note;
    }

    /** All of them: work that was begun before must not be published after the purge. */
    private RoundLeases leases(MaintenanceOptions maintenance) throws IOException {
        long deadlineMs = handle.metastore().clockMs() + options.leaseWaitMs();
        while (true) {
            RoundLeases leases = RoundLeases.acquireAll(handle, maintenance);
            if (leases.held().isEmpty()) {
                return leases.extended();
            }
            List<String> held = leases.held();
            leases.close();
            if (handle.metastore().clockMs() >= deadlineMs) {
                throw new IOException(
                        "side jobs of the collection are running: "
                                + String.join("; ", held)
                                + "; stop them, or resume the erasure later");
            }
            pause.of(POLL_MS);
        }
    }

    private void awaitGrace(ErasureNote released) throws IOException {
        long untilMs = released.atMs() + options.graceMs();
        if (handle.metastore().clockMs() < untilMs) {
            progress.accept(
                    "older versions stay readable for "
                            + (untilMs - handle.metastore().clockMs()) / 1000
                            + " s");
        }
        while (handle.metastore().clockMs() < untilMs) {
            pause.of(POLL_MS);
        }
    }

    private void sweep() throws IOException {
        long deadlineMs = handle.metastore().clockMs() + options.leaseWaitMs();
        while (true) {
            try (GcLease lease =
                            GcLease.acquire(
                                    handle.metastore(), options.owner(), GcLease.DEFAULT_TTL_MS);
                    GarbageCollector collector = new GarbageCollector(handle, GcOptions.DEFAULT)) {
                sweep(collector, lease);
                return;
            } catch (MetastoreException e) {
                if (e.code() != Code.LEASE_HELD || handle.metastore().clockMs() >= deadlineMs) {
                    throw e;
                }
                pause.of(POLL_MS);
            }
        }
    }

    private void sweep(GarbageCollector collector, GcLease lease) throws IOException {
        long deleted = 0;
        for (int pass = 0; pass < MOST_PASSES; pass++) {
            GcResult result = collector.sweepReleased(lease);
            if (result.plan().damage() != null) {
                throw new IOException(
                        "nothing of the collection can be deleted, as it cannot be read: "
                                + result.plan().damage());
            }
            deleted += result.deleted();
            if (result.deleted() == 0) {
                break;
            }
        }
        progress.accept(deleted + " objects are deleted");
    }
}
