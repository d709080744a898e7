package io.loam.store.chain;

import io.loam.codec.CorruptException;
import io.loam.codec.manifest.CollectionManifest;
import io.loam.codec.manifest.CommitKind;
import io.loam.codec.manifest.ManifestCodec;
import io.loam.codec.manifest.ManifestProperties;
import io.loam.store.CollectionHandle;
import io.loam.store.LiveManifest;
import io.loam.store.StoredObjects;
import io.loam.store.object.ObjectNotFoundException;
import io.loam.store.object.ObjectStore;

import javax.annotation.Nullable;

import java.io.IOException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * The retained manifests of a collection, walked from a live one along parent paths. The live
 * manifest is always there; an ancestor is retained while it is among the youngest {@link
 * Retention#keepManifests} or its child is younger than {@link Retention#retentionMs}. The walk
 * ends at the first that is not retained, at one that releases what was before it, at the root, or
 * at an object that is gone.
 */
public final class ManifestChain {
    private final ObjectStore objects;
    private final LiveManifest live;
    private final Retention retention;
    private final long clockMs;

    /** A manifest and where it is stored. */
    public record Link(String path, CollectionManifest manifest) {
        public long version() {
            return manifest.version();
        }

        /** Whether it is the apply commit of that id itself and does not just carry it forward. */
        public boolean isCommit(String commitId) {
            return manifest.kind() == CommitKind.LINK_APPLY
                    && commitId.equals(manifest.properties().get(ManifestProperties.COMMIT_ID));
        }
    }

    public ManifestChain(
            ObjectStore objects, LiveManifest live, Retention retention, long clockMs) {
        this.objects = objects;
        this.live = live;
        this.retention = retention;
        this.clockMs = clockMs;
    }

    /** The chain of the collection as it is now, by the default retention. */
    public static ManifestChain of(CollectionHandle handle) throws IOException {
        LiveManifest live = handle.live();
        return new ManifestChain(
                handle.objects(), live, Retention.DEFAULT, handle.metastore().clockMs());
    }

    public LiveManifest live() {
        return live;
    }

    /** Starts at the live manifest. */
    public Walk walk() {
        return new Walk();
    }

    /** Every retained manifest, newest first; empty before the first commit. */
    public List<Link> retained() throws IOException {
        List<Link> links = new ArrayList<>();
        Walk walk = walk();
        for (Link link = walk.next(); link != null; link = walk.next()) {
            links.add(link);
        }
        return links;
    }

    /**
     * The apply commit of that id, if it is retained; if it is the last one before the oldest
     * retained version, that version, which carries its id forward.
     */
    public Optional<Link> findCommit(String commitId) throws IOException {
        Walk walk = walk();
        Link oldest = null;
        for (Link link = walk.next(); link != null; link = walk.next()) {
            if (link.isCommit(commitId)) {
                return Optional.of(link);
            }
            oldest = link;
        }
        boolean carried =
                oldest != null
                        && oldest.manifest().kind() != CommitKind.LINK_APPLY
                        && commitId.equals(
                                oldest.manifest().properties().get(ManifestProperties.COMMIT_ID));
        return carried ? Optional.of(oldest) : Optional.empty();
    }

    /**
     * The manifest of a version; version 0 is the empty one and opens only before the first commit.
     *
     * @throws SnapshotExpiredException if it is not retained, or above the live version
     */
    public CollectionManifest open(long version) throws IOException {
        return link(version).manifest();
    }

    /** The same with its path, which is empty before the first commit. */
    public Link link(long version) throws IOException {
        CollectionManifest newest = live.manifest();
        if (version == newest.version()) {
            return new Link(live.path(), newest);
        }
        Walk walk = walk();
        Link oldest = null;
        for (Link link = walk.next(); link != null; link = walk.next()) {
            if (link.version() == version) {
                return link;
            }
            oldest = link;
        }
        throw new SnapshotExpiredException(
                "version "
                        + Long.toUnsignedString(version)
                        + " of collection "
                        + newest.collectionId()
                        + " cannot be opened: "
                        + (oldest == null
                                ? "it has no version but 0 yet"
                                : "versions "
                                        + oldest.version()
                                        + " to "
                                        + newest.version()
                                        + " are retained"));
    }

    /**
     * The newest manifest that was committed at a time or before.
     *
     * @param timeMs since the epoch
     * @throws SnapshotExpiredException if none of those is retained
     */
    public CollectionManifest openAsOf(long timeMs) throws IOException {
        Walk walk = walk();
        Link oldest = null;
        for (Link link = walk.next(); link != null; link = walk.next()) {
            if (link.manifest().createdAtMs() <= timeMs) {
                return link.manifest();
            }
            oldest = link;
        }
        throw new SnapshotExpiredException(
                "collection "
                        + live.manifest().collectionId()
                        + " cannot be opened as of "
                        + Instant.ofEpochMilli(timeMs)
                        + ": "
                        + (oldest == null
                                ? "it has no version yet"
                                : "the oldest version retained is "
                                        + oldest.version()
                                        + " of "
                                        + Instant.ofEpochMilli(oldest.manifest().createdAtMs())));
    }

    /** Whether an erasure gave up everything before the version. */
    public static boolean releasesHistory(CollectionManifest manifest) {
        return manifest.properties().containsKey(ManifestProperties.RELEASES_HISTORY);
    }

    /** One walk, newest first. */
    public final class Walk {
        private @Nullable Link last;
        private long distance;
        private boolean ended = live.manifest().version() == 0;

        /** The next older manifest, or null at the end. */
        @Nullable
        public Link next() throws IOException {
            if (ended) {
                return null;
            }
            last = last == null ? new Link(live.path(), live.manifest()) : parentOf(last);
            ended = last == null;
            distance++;
            return last;
        }

        @Nullable
        private Link parentOf(Link child) throws IOException {
            CollectionManifest manifest = child.manifest();
            String path = manifest.parentManifest();
            boolean retained =
                    distance <= retention.keepManifests()
                            || manifest.createdAtMs() + retention.retentionMs() > clockMs;
            if (path.isEmpty() || !retained || releasesHistory(manifest)) {
                return null;
            }
            byte[] bytes;
            try {
                bytes = objects.get(path);
            } catch (ObjectNotFoundException e) {
                requireGone(path, e);
                return null; // collected already, and with it everything older
            }
            CollectionManifest parent = ManifestCodec.decode(bytes, path);
            if (parent.version() != manifest.parentVersion()
                    || parent.collectionId() != manifest.collectionId()) {
                throw new CorruptException(
                        path
                                + ": version "
                                + parent.version()
                                + " of collection "
                                + parent.collectionId()
                                + ", but the parent of "
                                + child.path()
                                + " is version "
                                + manifest.parentVersion()
                                + " of collection "
                                + manifest.collectionId());
            }
            return new Link(path, parent);
        }

        /** What is not found on the chain may be refused for good: one answer is not enough. */
        private void requireGone(String path, ObjectNotFoundException absence) throws IOException {
            if (StoredObjects.isListed(objects, path)) {
                throw new IOException(path + ": is listed, but could not be read", absence);
            }
        }
    }
}
