package io.loam.store.gc;

import io.loam.codec.manifest.CollectionPaths;
import io.loam.store.gc.GcPlan.Verdict;
import io.loam.store.metastore.CollectionInfo;
import io.loam.store.metastore.RetiredPath;
import io.loam.store.object.ObjectInfo;
import io.loam.store.object.ObjectStore;

import java.io.IOException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** What goes of collections that were dropped, and of key indexes that belong to none. */
final class DroppedRoots {
    private static final Pattern KEY_INDEX = Pattern.compile("(ns/[0-9]+/pk/collection-[0-9]+/).+");

    private final ObjectStore objects;
    private final GcOptions options;

    DroppedRoots(ObjectStore objects, GcOptions options) {
        this.objects = objects;
        this.options = options;
    }

    /**
     * All below a retired path, once the drop is older than the grace.
     *
     * @throws IllegalStateException if a collection that is there lives below it, or it below one
     */
    GcPlan retired(RetiredPath path, List<CollectionInfo> collections, long clockMs)
            throws IOException {
        for (CollectionInfo info : collections) {
            String root = new CollectionPaths(info.namespaceId(), info.id()).root();
            if (root.startsWith(path.path()) || path.path().startsWith(root)) {
                throw new IllegalStateException(
                        "the retired path "
                                + path.path()
                                + " meets "
                                + root
                                + " of the collection "
                                + info.name()
                                + ", which is not dropped");
            }
        }
        boolean prefix = path.path().endsWith("/");
        Fate fate = isDue(path, clockMs) ? Fate.DROPPED : Fate.YOUNG;
        List<Verdict> verdicts = new ArrayList<>();
        for (ObjectInfo object : objects.list(path.path())) {
            if (prefix || object.path().equals(path.path())) {
                verdicts.add(
                        new Verdict(
                                object.path(), object.size(), clockMs - path.retiredAtMs(), fate));
            }
        }
        return new GcPlan(clockMs, verdicts, null);
    }

    boolean isDue(RetiredPath path, long clockMs) {
        return path.retiredAtMs() + options.graceMs() <= options.horizonMs(clockMs);
    }

    /** What lies below a namespace's key indexes; list it before reading what is there. */
    List<ObjectInfo> keyIndexes(long namespaceId) throws IOException {
        return objects.list("ns/" + Long.toUnsignedString(namespaceId) + "/pk/");
    }

    /** Key indexes whose collection is neither there nor retired. Of other shapes, all stays. */
    GcPlan ownerless(
            List<ObjectInfo> listed,
            List<CollectionInfo> collections,
            List<RetiredPath> retired,
            long clockMs) {
        Set<String> owned = new HashSet<>();
        for (CollectionInfo info : collections) {
            owned.add(new CollectionPaths(info.namespaceId(), info.id()).keyIndex());
        }
        retired.forEach(path -> owned.add(path.path()));
        List<Verdict> verdicts = new ArrayList<>();
        for (ObjectInfo object : listed) {
            Matcher index = KEY_INDEX.matcher(object.path());
            if (index.matches() && owned.contains(index.group(1))) {
                continue;
            }
            long ageMs = clockMs - object.lastModifiedMs();
            verdicts.add(
                    new Verdict(
                            object.path(),
                            object.size(),
                            ageMs,
                            !index.matches()
                                    ? Fate.UNKNOWN
                                    : ageMs - options.maxClockSkewMs() < options.graceMs()
                                            ? Fate.YOUNG
                                            : Fate.OWNERLESS));
        }
        return new GcPlan(clockMs, verdicts, null);
    }
}
