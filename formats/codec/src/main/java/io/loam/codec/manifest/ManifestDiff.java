package io.loam.codec.manifest;

import java.util.List;
import java.util.Optional;

/**
 * The difference between two versions of a collection as actions. Applied in order to the manifest
 * they were computed from, they give the other one, but for what every commit sets by itself:
 * version, parent, kind, creation time, properties and high water.
 */
public final class ManifestDiff {
    private ManifestDiff() {}

    /**
     * The actions that lead from {@code parent} to {@code child}, in canonical order: Lance
     * version; splits removed, updated (by ULID) and added (by position); index refs removed
     * (vector before scalar, by UUID) and added; hot artifacts removed and set; offsets; schema
     * version; counters; files. Nothing is written for what did not change.
     *
     * @throws ManifestDiffException if an offset or a total shrinks
     */
    public static List<Action> diff(CollectionManifest parent, CollectionManifest child) {
        return parent.equals(child) ? List.of() : new DiffPlanner(parent, child).plan();
    }

    /** {@link #diff} as a step of its own, for a commit whose writer did not record one. */
    public static UserAction derive(CollectionManifest parent, CollectionManifest child) {
        return new UserAction(description(child.kind()), diff(parent, child));
    }

    private static String description(CommitKind kind) {
        switch (kind) {
            case LINK_APPLY:
                return "apply";
            case INDEX_BUILD:
                return "index build";
            default:
                return "maintenance";
        }
    }

    /**
     * The manifest an operation makes of its parent. The parent's path is not known here and stays
     * empty; the operation itself is not put into the manifest.
     *
     * @throws ManifestDiffException if the operation was not planned on this parent, makes no
     *     manifest, or an action does not fit
     */
    public static CollectionManifest apply(CollectionManifest parent, UserOperation operation) {
        if (operation.readVersion() != parent.version()) {
            throw new ManifestDiffException(
                    "the operation was planned on version "
                            + Long.toUnsignedString(operation.readVersion())
                            + ", not on version "
                            + Long.toUnsignedString(parent.version()));
        }
        if (operation.kind() == null) {
            throw new ManifestDiffException("the operation has no kind: it makes no manifest");
        }
        return apply(parent, operation.kind(), operation.startedAtMs(), operation.allActions());
    }

    /**
     * The manifest that actions make of a parent.
     *
     * @throws ManifestDiffException if an action does not fit
     */
    public static CollectionManifest apply(
            CollectionManifest parent, CommitKind kind, long createdAtMs, List<Action> actions) {
        ManifestEditor editor = new ManifestEditor(parent);
        for (int i = 0; i < actions.size(); i++) {
            try {
                editor.apply(actions.get(i));
            } catch (ManifestDiffException e) {
                throw new ManifestDiffException(
                        "action " + i + " (" + actions.get(i) + "): " + e.getMessage());
            }
        }
        return editor.toManifest(kind, createdAtMs);
    }

    /**
     * Whether two manifests say the same: every field shared with other implementations but
     * version, parent and creation time; offsets, index refs and hot artifacts as sets.
     */
    public static boolean sameContent(CollectionManifest a, CollectionManifest b) {
        return difference(a, b).isEmpty();
    }

    /** The first field in which two manifests differ, with both values. */
    public static Optional<String> difference(CollectionManifest a, CollectionManifest b) {
        return ManifestComparison.firstDifference(a, b);
    }
}
