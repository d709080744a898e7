package io.loam.store.history;

import io.loam.codec.manifest.Action;
import io.loam.codec.manifest.CollectionManifest;
import io.loam.codec.manifest.CollectionPaths;
import io.loam.codec.manifest.ManifestDiff;
import io.loam.codec.manifest.ManifestDiffException;
import io.loam.codec.manifest.ManifestFiles;
import io.loam.codec.manifest.UserAction;
import io.loam.codec.manifest.UserOperation;
import io.loam.store.CollectionHandle;
import io.loam.store.chain.ManifestChain;
import io.loam.store.chain.ManifestChain.Link;
import io.loam.store.chain.SnapshotExpiredException;
import io.loam.store.object.ObjectStore;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import javax.annotation.Nullable;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * What the commits of a collection did, as far back as its manifests are retained. A commit's
 * operation is taken from the commit if it makes the commit's manifest of its parent, and otherwise
 * derived from the two manifests.
 */
public final class History {
    private static final Logger LOG = LoggerFactory.getLogger(History.class);

    private final ObjectStore objects;
    private final CollectionPaths paths;
    private final List<Link> newestFirst;

    private History(ObjectStore objects, CollectionPaths paths, List<Link> newestFirst) {
        this.objects = objects;
        this.paths = paths;
        this.newestFirst = newestFirst;
    }

    /** The history of the collection as it is now. */
    public static History of(CollectionHandle handle) throws IOException {
        return new History(handle.objects(), handle.paths(), ManifestChain.of(handle).retained());
    }

    /** The retained manifests, newest first. */
    public List<Link> manifests() {
        return newestFirst;
    }

    /** One row per user action, newest commit first. */
    public List<HistoryRow> rows() throws IOException {
        List<HistoryRow> rows = new ArrayList<>();
        for (int i = 0; i < newestFirst.size(); i++) {
            rows.addAll(rows(newestFirst.get(i), parentOf(i)));
        }
        return rows;
    }

    private List<HistoryRow> rows(Link link, @Nullable CollectionManifest parent)
            throws IOException {
        Optional<UserOperation> recorded =
                Operations.recorded(objects, link.manifest(), link.path())
                        .filter(operation -> fits(parent, operation, link));
        if (recorded.isPresent()) {
            return recorded.get().actions().stream()
                    .map(action -> row(link, recorded.get(), action))
                    .toList();
        }
        UserAction derived =
                parent == null
                        ? new UserAction("unknown: its parent is not retained", List.of())
                        : ManifestDiff.derive(parent, link.manifest());
        return List.of(row(link, null, derived));
    }

    private static boolean fits(
            @Nullable CollectionManifest parent, UserOperation operation, Link link) {
        if (parent == null) {
            return true; // nothing to check against
        }
        try {
            Optional<String> difference =
                    ManifestDiff.difference(ManifestDiff.apply(parent, operation), link.manifest());
            difference.ifPresent(
                    what -> LOG.warn("{}: its operation is not used: {}", link.path(), what));
            return difference.isEmpty();
        } catch (ManifestDiffException e) {
            LOG.warn("{}: its operation does not fit its parent", link.path(), e);
            return false;
        }
    }

    private HistoryRow row(Link link, @Nullable UserOperation operation, UserAction action) {
        CollectionManifest manifest = link.manifest();
        Tally tally = Tally.of(action.actions());
        return new HistoryRow(
                manifest.version(),
                operation == null ? 0 : operation.attempt(),
                manifest.kind(),
                operation == null ? null : operation.uuid(),
                action.description(),
                operation == null ? "" : operation.actor(),
                manifest.createdAtMs(),
                tally.added,
                tally.removed,
                tally.liveDocs,
                List.copyOf(ManifestFiles.newFiles(paths, action.actions())),
                tally.bytes,
                operation == null,
                action.actions());
    }

    /** What a list of actions adds up to. */
    private static final class Tally {
        private long added;
        private long removed;
        private long liveDocs;
        private long bytes;

        static Tally of(List<Action> actions) {
            Tally tally = new Tally();
            actions.forEach(tally::add);
            return tally;
        }

        private void add(Action action) {
            if (action instanceof Action.AddSplit) {
                added++;
                bytes += ((Action.AddSplit) action).split().sizeBytes();
            } else if (action instanceof Action.RemoveSplit) {
                removed++;
            } else if (action instanceof Action.AdjustCounters) {
                liveDocs += ((Action.AdjustCounters) action).liveDocs();
            }
        }
    }

    /**
     * The net difference between two versions, in canonical order.
     *
     * @throws SnapshotExpiredException if one of them is not retained
     */
    public List<Action> diff(long from, long to) throws IOException {
        requireOrder(from, to);
        return ManifestDiff.diff(manifest(from), manifest(to));
    }

    /** The actions of the commits from one version to another, one after the other. */
    public List<Action> steps(long from, long to) throws IOException {
        requireOrder(from, to);
        manifest(from);
        manifest(to);
        List<Action> steps = new ArrayList<>();
        for (int i = newestFirst.size() - 1; i >= 0; i--) {
            Link link = newestFirst.get(i);
            if (link.version() > from && link.version() <= to) {
                rows(link, parentOf(i)).forEach(row -> steps.addAll(row.actions()));
            }
        }
        return steps;
    }

    private static void requireOrder(long from, long to) {
        if (from > to) {
            throw new IllegalArgumentException(
                    "a difference goes from an older version to a newer one, not from "
                            + from
                            + " to "
                            + to);
        }
    }

    private CollectionManifest manifest(long version) throws SnapshotExpiredException {
        for (int i = 0; i < newestFirst.size(); i++) {
            if (newestFirst.get(i).version() == version) {
                return newestFirst.get(i).manifest();
            }
            CollectionManifest parent = parentOf(i);
            if (version == 0 && parent != null && parent.version() == 0) {
                return parent;
            }
        }
        if (version == 0 && newestFirst.isEmpty()) {
            return CollectionManifest.empty(paths.collection());
        }
        throw new SnapshotExpiredException(
                "version " + version + " is not retained; see the list of manifests");
    }

    /** The parent if it is known: the next link, or the empty manifest at the root. */
    @Nullable
    private CollectionManifest parentOf(int index) {
        if (index + 1 < newestFirst.size()) {
            return newestFirst.get(index + 1).manifest();
        }
        CollectionManifest child = newestFirst.get(index).manifest();
        return child.parentManifest().isEmpty()
                ? CollectionManifest.empty(child.collectionId())
                : null;
    }
}
