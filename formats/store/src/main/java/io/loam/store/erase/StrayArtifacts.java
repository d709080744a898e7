package io.loam.store.erase;

import io.loam.codec.lance.LanceIndexSegment;
import io.loam.codec.manifest.CollectionManifest;
import io.loam.codec.manifest.CollectionPaths;
import io.loam.codec.manifest.HotArtifactRef;
import io.loam.codec.manifest.ObjectShape;
import io.loam.codec.staged.UnitDescriptor;
import io.loam.codec.staged.UnitDescriptorCodec;
import io.loam.store.CollectionHandle;
import io.loam.store.object.ObjectInfo;
import io.loam.store.object.ObjectNotFoundException;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.LongPredicate;

/**
 * Indexes and hot graphs that no version names: somebody builds them just now, or did and crashed.
 * Vectors are in them as codes, or without the keys they are of. So nobody can tell by their bytes
 * whether one of an erased document is among them; but what was built of rows from which the
 * document was deleted has none.
 */
final class StrayArtifacts {
    /** What is said of one. */
    static final String LEFT =
            "it belongs to no version, and nobody can tell what vectors it was built of";

    private static final int HOT_PARTS = 4;

    private final CollectionHandle handle;
    private final CollectionPaths paths;
    private final List<ObjectInfo> listed;
    private final Set<String> prefixes = new TreeSet<>();

    /**
     * @param listed objects of the collection, listed before the versions were read: what was
     *     published in between is named then
     */
    private StrayArtifacts(CollectionHandle handle, List<ObjectInfo> listed) {
        this.handle = handle;
        this.paths = handle.paths();
        this.listed = listed;
    }

    /**
     * Finds them.
     *
     * @param versions that are retained or tagged, newest first
     */
    static StrayArtifacts find(
            CollectionHandle handle, List<ObjectInfo> listed, List<CollectionManifest> versions)
            throws IOException {
        StrayArtifacts strays = new StrayArtifacts(handle, listed);
        listed.forEach(object -> strays.addPrefix(object.path()));
        for (CollectionManifest version : versions) {
            strays.removeNamed(version);
        }
        return strays;
    }

    private void addPrefix(String path) {
        switch (ObjectShape.of(paths, path)) {
            case LANCE:
                String indices = paths.lanceIndex("");
                String all = indices.substring(0, indices.length() - 1);
                if (path.startsWith(all)) {
                    prefixes.add(path.substring(0, path.indexOf('/', all.length()) + 1));
                }
                break;
            case HOT:
                int end = paths.root().length();
                for (int part = 0; part < HOT_PARTS; part++) {
                    end = path.indexOf('/', end) + 1;
                }
                prefixes.add(path.substring(0, end));
                break;
            default:
                break;
        }
    }

    private void removeNamed(CollectionManifest version) throws IOException {
        if (prefixes.isEmpty()) {
            return;
        }
        for (HotArtifactRef hot : version.hotArtifacts()) {
            prefixes.remove(hot.prefix());
        }
        if (version.lanceVersion() != 0) {
            for (LanceIndexSegment segment : handle.rowVersions().read(version).indexSegments()) {
                prefixes.remove(paths.lanceIndex(segment.id().toString()));
            }
        }
    }

    /**
     * Prefixes of those left, each ending in a slash, but for those whose building was announced at
     * such a time.
     */
    Collection<String> butAnnounced(LongPredicate timeMs) throws IOException {
        Set<String> others = new TreeSet<>(prefixes);
        others.removeAll(announced(timeMs));
        return others;
    }

    /** Deletes those whose building was announced at such a time. */
    void delete(LongPredicate timeMs) throws IOException {
        for (String prefix : announced(timeMs)) {
            for (ObjectInfo object : listed) {
                if (object.path().startsWith(prefix)) {
                    handle.objects().delete(object.path());
                }
            }
        }
    }

    private List<String> announced(LongPredicate timeMs) throws IOException {
        List<String> announced = new ArrayList<>();
        if (prefixes.isEmpty()) {
            return announced;
        }
        for (ObjectInfo object : listed) {
            if (ObjectShape.of(paths, object.path()) == ObjectShape.STAGED_DESCRIPTOR) {
                try {
                    UnitDescriptor unit =
                            UnitDescriptorCodec.decode(
                                    handle.objects().get(object.path()), object.path());
                    if (timeMs.test(unit.createdAtMs())) {
                        unit.paths().stream().filter(prefixes::contains).forEach(announced::add);
                    }
                } catch (ObjectNotFoundException e) {
                    continue; // published, or given up, and collected
                }
            }
        }
        return announced;
    }
}
