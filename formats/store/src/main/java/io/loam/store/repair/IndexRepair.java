package io.loam.store.repair;

import io.loam.codec.Ulid;
import io.loam.codec.manifest.CollectionManifest;
import io.loam.codec.manifest.CommitKind;
import io.loam.codec.manifest.FileChecksum;
import io.loam.codec.manifest.ManifestProperties;
import io.loam.codec.manifest.PkDelta;
import io.loam.codec.manifest.PkDeltaCodec;
import io.loam.store.CollectionHandle;
import io.loam.store.chain.ManifestChain;
import io.loam.store.chain.ManifestChain.Link;
import io.loam.store.object.ObjectNotFoundException;
import io.loam.store.object.ObjectStore;

import javax.annotation.Nullable;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;

/**
 * Decides how a restored key index gets in line with the collection:
 *
 * <pre>
 * nothing restored                                            rebuild
 * last apply commit is of the snapshot's incarnation and not
 *   above its checkpoint, or is where the index began         keep
 * the same of the snapshot the index was inherited from       keep
 * the tip is on the retained chain, and so is every PK delta
 *   after it                                                  replay those, oldest first
 * otherwise                                                   rebuild
 * </pre>
 *
 * The tip is the snapshot's last checkpoint that staged something, or, without one, the commit the
 * index began at. Exactly the tip must be found: an earlier commit of the same incarnation would
 * not say whether the later one was published.
 */
public final class IndexRepair {
    private final ObjectStore objects;
    private final ManifestChain chain;
    private final RepairState state;
    private final CollectionManifest live;
    private final String base;

    private IndexRepair(ObjectStore objects, ManifestChain chain, RepairState state) {
        this.objects = objects;
        this.chain = chain;
        this.state = state;
        this.live = chain.live().manifest();
        this.base = live.properties().getOrDefault(ManifestProperties.COMMIT_ID, "");
    }

    public static RepairPlan plan(CollectionHandle handle, RepairState state) throws IOException {
        return plan(handle.objects(), ManifestChain.of(handle), state);
    }

    /** By a given chain. */
    public static RepairPlan plan(ObjectStore objects, ManifestChain chain, RepairState state)
            throws IOException {
        return new IndexRepair(objects, chain, state).plan();
    }

    private RepairPlan plan() throws IOException {
        if (state.incarnation() == null) {
            return new RepairPlan.Rebuild(live, base);
        }
        boolean untouched = base.equals(state.startedFrom());
        if (untouched || isHeld()) {
            return new RepairPlan.Keep(base);
        }
        Optional<List<PkDelta>> missed = missed();
        return missed.isPresent()
                ? new RepairPlan.Replay(missed.get(), base)
                : new RepairPlan.Rebuild(live, base);
    }

    /** Whether the snapshot, or the one it came from, is not older than the last apply commit. */
    private boolean isHeld() {
        RepairState.Snapshot inherited = state.inherited();
        return (ofIncarnation(live) && checkpoint(live) <= state.checkpoint())
                || (inherited != null
                        && isOf(inherited.incarnation(), live)
                        && checkpoint(live) <= inherited.checkpoint());
    }

    /** Deltas of the commits after the tip, or nothing if they cannot be told or read. */
    private Optional<List<PkDelta>> missed() throws IOException {
        List<PkDelta> newestFirst = new ArrayList<>();
        ManifestChain.Walk walk = chain.walk();
        Link oldest = null;
        for (Link link = walk.next(); link != null; link = walk.next()) {
            oldest = link;
            if (link.manifest().kind() != CommitKind.LINK_APPLY) {
                continue;
            }
            if (isTip(link)) {
                return tipRepeats(walk) ? Optional.empty() : Optional.of(reversed(newestFirst));
            }
            if (!link.manifest().pkDelta().isEmpty() && !read(link, newestFirst)) {
                return Optional.empty();
            }
        }
        boolean fromTheStart = state.tipCheckpoint() < 0 && state.startedFrom().isEmpty();
        boolean atRoot = oldest != null && oldest.manifest().parentManifest().isEmpty();
        return fromTheStart && atRoot ? Optional.of(reversed(newestFirst)) : Optional.empty();
    }

    private boolean isTip(Link link) {
        return state.tipCheckpoint() < 0
                ? link.isCommit(state.startedFrom())
                : ofIncarnation(link.manifest())
                        && checkpoint(link.manifest()) == state.tipCheckpoint();
    }

    /** A checkpoint id may be used twice at the end of input; then it names no single commit. */
    private boolean tipRepeats(ManifestChain.Walk walk) throws IOException {
        for (Link link = walk.next(); link != null; link = walk.next()) {
            if (link.manifest().kind() == CommitKind.LINK_APPLY) {
                return state.tipCheckpoint() >= 0 && isTip(link);
            }
        }
        return false;
    }

    private boolean read(Link link, List<PkDelta> deltas) throws IOException {
        String path = link.manifest().pkDelta();
        try {
            byte[] object = objects.get(path);
            deltas.add(PkDeltaCodec.decode(object, path));
            FileChecksum.check(
                    link.manifest().properties(), ManifestProperties.PK_DELTA, path, object);
            return true;
        } catch (ObjectNotFoundException e) {
            return false; // collected: the caller rebuilds
        }
    }

    private boolean ofIncarnation(CollectionManifest manifest) {
        @Nullable Ulid incarnation = state.incarnation();
        return incarnation != null && isOf(incarnation, manifest);
    }

    private static boolean isOf(Ulid incarnation, CollectionManifest manifest) {
        return incarnation
                .toString()
                .equals(manifest.properties().get(ManifestProperties.INCARNATION));
    }

    private static long checkpoint(CollectionManifest manifest) {
        return ManifestProperties.number(manifest.properties(), ManifestProperties.CHECKPOINT);
    }

    private static List<PkDelta> reversed(List<PkDelta> newestFirst) {
        List<PkDelta> deltas = new ArrayList<>(newestFirst);
        Collections.reverse(deltas);
        return deltas;
    }
}
