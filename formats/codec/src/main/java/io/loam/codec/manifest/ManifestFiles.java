package io.loam.codec.manifest;

import io.loam.codec.Ulid;

import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;

/**
 * Which objects manifests and operations name. A path that ends with a slash stands for everything
 * below it. What a Lance version names inside Lance is not followed.
 */
public final class ManifestFiles {
    private ManifestFiles() {}

    /** Objects a manifest refers to: what it needs, not what came before it. */
    public static SortedSet<String> referenced(CollectionPaths paths, CollectionManifest manifest) {
        SortedSet<String> files = new TreeSet<>();
        addLanceVersion(files, paths, manifest.lanceVersion());
        for (SplitRef split : manifest.splits()) {
            files.add(paths.split(split.ulid()));
            addPath(files, split.deleteBitmap());
        }
        manifest.vectorIndexes().forEach(index -> files.add(paths.lanceIndex(index.uuid())));
        manifest.scalarIndexes().forEach(index -> files.add(paths.lanceIndex(index.uuid())));
        manifest.hotArtifacts().forEach(artifact -> files.add(artifact.prefix()));
        addPath(files, manifest.pkDelta());
        addPath(files, manifest.deadLetters());
        addPath(files, manifest.operationPath());
        return files;
    }

    /** Objects that {@code from} refers to and {@code to} does not. */
    public static SortedSet<String> removedFiles(
            CollectionPaths paths, CollectionManifest from, CollectionManifest to) {
        SortedSet<String> files = referenced(paths, from);
        files.removeAll(referenced(paths, to));
        return files;
    }

    /**
     * Objects a commit made: those its actions name, the operation's own object and the manifest.
     *
     * @param actions recorded or derived
     */
    public static SortedSet<String> newFiles(
            CollectionPaths paths,
            String manifestPath,
            CollectionManifest manifest,
            List<Action> actions) {
        SortedSet<String> files = newFiles(paths, actions);
        files.add(manifestPath);
        addPath(files, manifest.operationPath());
        return files;
    }

    /** Objects that actions made. A split that only moved in the list is not new. */
    public static SortedSet<String> newFiles(CollectionPaths paths, List<Action> actions) {
        Set<Ulid> removed = new HashSet<>();
        for (Action action : actions) {
            if (action instanceof Action.RemoveSplit remove) {
                removed.add(remove.ulid());
            }
        }
        SortedSet<String> files = new TreeSet<>();
        for (Action action : actions) {
            if (action instanceof Action.AddSplit add) {
                if (!removed.contains(add.split().ulid())) {
                    files.add(paths.split(add.split().ulid()));
                }
                addPath(files, add.split().deleteBitmap());
            } else if (action instanceof LanceAction lance) {
                files.addAll(LanceFileNames.newFiles(paths, lance));
            } else {
                addNewFiles(files, paths, action);
            }
        }
        return files;
    }

    private static void addNewFiles(Set<String> files, CollectionPaths paths, Action action) {
        if (action instanceof Action.SetLanceVersion set) {
            addLanceVersion(files, paths, set.to());
        } else if (action instanceof Action.UpdateSplit update) {
            addPath(files, update.deleteBitmap());
        } else if (action instanceof Action.AddVectorIndexRef add) {
            files.add(paths.lanceIndex(add.index().uuid()));
        } else if (action instanceof Action.AddScalarIndexRef add) {
            files.add(paths.lanceIndex(add.index().uuid()));
        } else if (action instanceof Action.SetHotArtifact set) {
            files.add(set.artifact().prefix());
        } else if (action instanceof Action.AttachFiles attach) {
            addPath(files, attach.pkDelta());
            addPath(files, attach.deadLetters());
        }
    }

    /** Mainline versions belong to the dataset's creation, not to a commit. */
    private static void addLanceVersion(Set<String> files, CollectionPaths paths, long version) {
        if (version < 0) {
            files.add(paths.lanceVersion(version));
        }
    }

    private static void addPath(Set<String> files, String path) {
        if (!path.isEmpty()) {
            files.add(path);
        }
    }
}
