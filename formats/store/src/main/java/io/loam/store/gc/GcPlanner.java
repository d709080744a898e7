package io.loam.store.gc;

import io.loam.codec.manifest.ObjectShape;
import io.loam.codec.staged.UnitDescriptor;
import io.loam.store.gc.GcPlan.Verdict;
import io.loam.store.object.ObjectInfo;

import java.util.ArrayList;
import java.util.List;

/**
 * Decides the fate of every listed object. Pure. The first line that fits decides:
 *
 * <pre>
 * something could not be read              kept, all of it
 * below a retired path                     kept
 * unknown shape, mainline of the dataset   kept
 * descriptor: unit named by a version that
 *   is or was live; older than the staging
 *   retention                              goes; kept otherwise
 * retained manifest, or needed by one      kept
 * tagged manifest, or needed by one        kept
 * of a descriptor that stays               kept
 * released by an erasure, which collects   goes
 * needed by another listed manifest        kept
 * younger than the grace                   kept
 * anything else                            goes
 * </pre>
 */
final class GcPlanner {
    private final GcSnapshot snapshot;
    private final GcOptions options;
    private final References staged = new References();

    private final boolean ofErasure;

    private GcPlanner(GcSnapshot snapshot, GcOptions options, boolean ofErasure) {
        this.snapshot = snapshot;
        this.options = options;
        this.ofErasure = ofErasure;
        for (UnitDescriptor descriptor : snapshot.descriptors().values()) {
            if (!published(descriptor) && !expired(descriptor)) {
                staged.addAll(descriptor.paths());
            }
        }
    }

    static GcPlan plan(GcSnapshot snapshot, GcOptions options) {
        return plan(snapshot, options, false);
    }

    /**
     * @param ofErasure whether an erasure collects, which waits no grace for what it released
     */
    static GcPlan plan(GcSnapshot snapshot, GcOptions options, boolean ofErasure) {
        GcPlanner planner = new GcPlanner(snapshot, options, ofErasure);
        List<Verdict> verdicts = new ArrayList<>();
        for (ObjectInfo object : snapshot.listing()) {
            long ageMs = snapshot.clockMs() - planner.timeMs(object);
            Fate fate = planner.fate(object.path(), ageMs);
            verdicts.add(new Verdict(object.path(), object.size(), ageMs, fate));
        }
        return new GcPlan(snapshot.clockMs(), verdicts, snapshot.damage());
    }

    private long timeMs(ObjectInfo object) {
        return snapshot.paths().objectTimeMs(object.path(), object.lastModifiedMs());
    }

    private Fate fate(String path, long ageMs) {
        if (snapshot.damage() != null) {
            return Fate.UNREADABLE;
        }
        if (snapshot.retired().holds(path)) {
            return Fate.RETIRED;
        }
        ObjectShape shape = ObjectShape.of(snapshot.paths(), path);
        return switch (shape) {
            case UNKNOWN -> Fate.UNKNOWN;
            case LANCE_MAINLINE -> Fate.MAINLINE;
            case STAGED_DESCRIPTOR -> descriptorFate(path);
            default -> fate(path, shape, ageMs);
        };
    }

    private Fate descriptorFate(String path) {
        UnitDescriptor descriptor = snapshot.descriptors().get(path);
        if (descriptor == null) {
            return Fate.YOUNG; // it went after it was listed
        }
        if (published(descriptor)) {
            return Fate.PUBLISHED;
        }
        return expired(descriptor) ? Fate.EXPIRED : Fate.STAGED;
    }

    private Fate fate(String path, ObjectShape shape, long ageMs) {
        if (snapshot.retained().holds(path)) {
            return Fate.RETAINED;
        }
        if (snapshot.tagged().holds(path)) {
            return Fate.TAGGED;
        }
        if (snapshot.mainline().holds(path)) {
            return Fate.MAINLINE;
        }
        if (staged.holds(path)) {
            return Fate.STAGED;
        }
        if (ofErasure && snapshot.released().holds(path)) {
            return shape == ObjectShape.MANIFEST ? Fate.RELEASED_MANIFEST : Fate.RELEASED;
        }
        boolean ofUnit =
                shape == ObjectShape.STAGED_KEYS || shape == ObjectShape.STAGED_DEAD_LETTERS;
        if (ofErasure && ofUnit) {
            // No descriptor keeps it, so its unit is published, and its commit is long over.
            return Fate.RELEASED;
        }
        if (snapshot.listed().holds(path)) {
            return Fate.NEXT_RUN;
        }
        if (ageMs - options.maxClockSkewMs() < options.graceMs()) {
            return Fate.YOUNG;
        }
        return shape == ObjectShape.MANIFEST ? Fate.SUPERSEDED : Fate.UNREFERENCED;
    }

    /**
     * Only manifests that are or were live publish; one that lost its swap may name the unit, too.
     */
    private boolean published(UnitDescriptor descriptor) {
        return snapshot.publishedUnits().contains(descriptor.unit())
                || descriptor.paths().stream()
                        .anyMatch(
                                path ->
                                        snapshot.retained().holds(path)
                                                || snapshot.tagged().holds(path));
    }

    private boolean expired(UnitDescriptor descriptor) {
        return descriptor.createdAtMs() + options.stagingRetentionMs()
                <= options.horizonMs(snapshot.clockMs());
    }
}
