package io.loam.store.chain;

import io.loam.codec.CorruptException;
import io.loam.codec.manifest.CollectionManifest;
import io.loam.codec.manifest.ManifestCodec;
import io.loam.store.CollectionHandle;
import io.loam.store.chain.ManifestChain.Link;
import io.loam.store.metastore.Pointer;
import io.loam.store.object.ObjectNotFoundException;

import javax.annotation.Nullable;

import java.io.IOException;
import java.util.ArrayDeque;
import java.util.Deque;

/**
 * Follows a collection from one version to the next, leaving none out. Not thread-safe.
 *
 * <p>While there is nothing new, a look costs one read of the metastore.
 */
public final class ManifestFollower {
    private final CollectionHandle handle;
    private CollectionManifest current;

    /** Paths of the versions that come next, as far as they are known. */
    private final Deque<String> ahead = new ArrayDeque<>();

    private ManifestFollower(CollectionHandle handle, CollectionManifest current) {
        this.handle = handle;
        this.current = current;
    }

    /**
     * Stands at a version.
     *
     * @param version 0 for the state before the first commit
     * @throws SnapshotExpiredException if it is not retained, or above the live version
     */
    public static ManifestFollower at(CollectionHandle handle, long version) throws IOException {
        return new ManifestFollower(
                handle,
                version == 0
                        ? CollectionManifest.empty(handle.info().id())
                        : ManifestChain.of(handle).open(version));
    }

    /** The version it stands at. */
    public CollectionManifest current() {
        return current;
    }

    /**
     * Goes to the next version.
     *
     * @return null if the one it stands at is live
     * @throws SnapshotExpiredException if the next one is not retained any more
     */
    @Nullable
    public CollectionManifest next() throws IOException {
        if (ahead.isEmpty() && !lookAhead()) {
            return null;
        }
        String path = ahead.peek();
        CollectionManifest next;
        try {
            next = ManifestCodec.decode(handle.objects().get(path), path);
        } catch (ObjectNotFoundException e) {
            throw (IOException) gone("its manifest was collected").initCause(e);
        }
        ahead.remove();
        current = next;
        return next;
    }

    private boolean lookAhead() throws IOException {
        Pointer pointer = handle.metastore().head(handle.info().id()).pointer();
        if (pointer == null || pointer.version() == current.version()) {
            return false;
        }
        ManifestChain.Walk walk = ManifestChain.of(handle).walk();
        Link oldest = null;
        for (Link link = walk.next(); link != null; link = walk.next()) {
            if (link.version() == current.version()) {
                return true;
            }
            ahead.addFirst(link.path());
            oldest = link;
        }
        if (oldest != null && oldest.manifest().parentVersion() == current.version()) {
            return true;
        }
        ahead.clear();
        if (Long.compareUnsigned(pointer.version(), current.version()) < 0) {
            throw new CorruptException(
                    "collection "
                            + current.collectionId()
                            + " went from version "
                            + current.version()
                            + " back to "
                            + pointer.version());
        }
        throw gone(
                oldest == null
                        ? "nothing is retained"
                        : "versions "
                                + oldest.version()
                                + " to "
                                + pointer.version()
                                + " are retained");
    }

    private SnapshotExpiredException gone(String why) {
        return new SnapshotExpiredException(
                "what follows version "
                        + current.version()
                        + " of collection "
                        + current.collectionId()
                        + " is not retained any more: "
                        + why);
    }
}
