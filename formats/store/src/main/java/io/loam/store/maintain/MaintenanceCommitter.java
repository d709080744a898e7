package io.loam.store.maintain;

import io.loam.codec.manifest.CollectionManifest;
import io.loam.store.CollectionHandle;
import io.loam.store.FailPoint;
import io.loam.store.LiveManifest;
import io.loam.store.StoredObjects;
import io.loam.store.chain.ManifestChain;
import io.loam.store.commit.CommitIo;
import io.loam.store.commit.FencedException;
import io.loam.store.commit.PointerPublisher;
import io.loam.store.commit.PointerPublisher.Publication;
import io.loam.store.commit.StaleCommitException;
import io.loam.store.maintain.MaintenanceOutcome.Fate;
import io.loam.store.maintain.MaintenanceOutcome.Result;
import io.loam.store.metastore.MetastoreException;
import io.loam.store.metastore.MetastoreException.Code;
import io.loam.store.object.ParallelIo;
import io.loam.store.retry.Pause;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.IOException;
import java.util.List;
import java.util.UUID;

/**
 * Publishes what a round has finished, all of it in one version. One attempt on one parent:
 *
 * <pre>
 * 1  clock, live manifest
 * 2  plan every work on it: change, published before, or abandoned ({@link WorkPlanner})
 * 3  put bitmaps, deletion files, row version, all at once; put the manifest
 * 4  swap the pointer ({@link PointerPublisher})
 * </pre>
 *
 * <p>Losing the swap starts over on the new parent: bitmaps, deletion files and row version are
 * made anew, uploaded files are used again. After so many rebases, or when others have held it up
 * for too long, what is left is blocked. Neither that nor abandoned work is an error. Nobody waits
 * for this commit: an apply commit that loses to it rebases the same way.
 *
 * <p>After an error nobody knows whether the version was published. Publishing the same work again
 * finds out.
 */
public final class MaintenanceCommitter implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(MaintenanceCommitter.class);

    private final CollectionHandle handle;
    private final MaintenanceOptions options;
    private final ParallelIo reads;
    private final PointerPublisher publisher;

    /**
     * @param fence the lease that the swap is made under; not that of the collection's writer
     */
    public MaintenanceCommitter(
            CollectionHandle handle, MaintenanceOptions options, PointerPublisher.Fence fence) {
        this(
                handle,
                options,
                fence,
                new ParallelIo("loam-maintenance-" + handle.info().id()),
                Pause.real());
    }

    /** With another way to read and to wait between swaps. */
    public MaintenanceCommitter(
            CollectionHandle handle,
            MaintenanceOptions options,
            PointerPublisher.Fence fence,
            ParallelIo reads,
            Pause pause) {
        this.handle = handle;
        this.options = options;
        this.reads = reads;
        this.publisher = new PointerPublisher(handle, fence, options.maxCommitDelayMs(), pause);
    }

    /** Publishes finished work, in one version or not at all. */
    public MaintenanceOutcome publish(List<FinishedWork> works) throws IOException {
        UUID uuid = UUID.randomUUID();
        long firstMs = handle.metastore().clockMs();
        for (int attempt = 0; attempt <= options.maxRebases(); attempt++) {
            long startedMs = attempt == 0 ? firstMs : handle.metastore().clockMs();
            if (startedMs - firstMs > options.maxCommitDelayMs()) {
                break;
            }
            LiveManifest live;
            try {
                live = handle.live();
            } catch (MetastoreException e) {
                return droppedOrThrow(works, e);
            }
            CommitIo io =
                    new CommitIo(
                            handle.objects(),
                            handle.paths(),
                            handle.rowVersions(),
                            reads,
                            () -> handle.ulids().next(startedMs));
            MaintenanceVersion version =
                    MaintenanceVersion.plan(works, live, startedMs, attempt, uuid, io, options);
            if (!version.changesAnything()) {
                return new MaintenanceOutcome(0, version.results());
            }
            try {
                if (publish(version, firstMs)) {
                    return new MaintenanceOutcome(live.version() + 1, version.results());
                }
            } catch (MetastoreException e) {
                return droppedOrThrow(works, e);
            } catch (FencedException | StaleCommitException e) {
                return all(works, Fate.BLOCKED, e.getMessage());
            }
            LOG.info(
                    "maintenance of collection {} lost version {} to another commit",
                    handle.info().id(),
                    live.version() + 1);
        }
        return all(
                works,
                Fate.BLOCKED,
                "other commits came first "
                        + (options.maxRebases() + 1)
                        + " times, or for longer than "
                        + options.maxCommitDelayMs()
                        + " ms");
    }

    private boolean publish(MaintenanceVersion version, long firstMs) throws IOException {
        if (!version.objects().isEmpty()) {
            StoredObjects.putAll(handle.objects(), version.objects());
        }
        StoredObjects.putManifest(handle.objects(), version.manifestPut());
        FailPoint.MAINTENANCE_MANIFEST.reach();
        CollectionManifest manifest = version.manifest();
        String path = version.manifestPut().path();
        boolean published =
                publisher.publish(
                        new Publication(
                                "maintenance version " + manifest.version(),
                                manifest,
                                path,
                                firstMs,
                                () -> isOnChain(path)));
        if (published) {
            FailPoint.MAINTENANCE_PUBLISHED.reach();
        }
        return published;
    }

    private boolean isOnChain(String path) throws IOException {
        ManifestChain.Walk walk = ManifestChain.of(handle).walk();
        for (ManifestChain.Link link = walk.next(); link != null; link = walk.next()) {
            if (link.path().equals(path)) {
                return true;
            }
        }
        return false;
    }

    private MaintenanceOutcome droppedOrThrow(List<FinishedWork> works, MetastoreException e)
            throws MetastoreException {
        if (e.code() == Code.COLLECTION_NOT_FOUND) {
            return all(works, Fate.ABANDONED, "the collection was dropped");
        }
        throw e;
    }

    private static MaintenanceOutcome all(List<FinishedWork> works, Fate fate, String text) {
        return new MaintenanceOutcome(
                0, works.stream().map(work -> new Result(work, fate, text)).toList());
    }

    @Override
    public void close() {
        reads.close();
    }
}
