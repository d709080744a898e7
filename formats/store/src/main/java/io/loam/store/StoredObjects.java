package io.loam.store;

import io.loam.codec.CorruptException;
import io.loam.codec.manifest.CollectionPaths;
import io.loam.codec.staged.UnitDescriptor;
import io.loam.codec.staged.UnitDescriptorCodec;
import io.loam.store.object.ObjectExistsException;
import io.loam.store.object.ObjectStore;
import io.loam.store.object.ObjectStore.Put;

import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Stores objects so that a process can be held after each of them, and looks again for those that
 * are said not to be there.
 */
public final class StoredObjects {
    private static final Map<String, FailPoint> POINTS =
            Map.ofEntries(
                    Map.entry(".stg", FailPoint.UNIT_DESCRIPTOR),
                    Map.entry("/lance/data/", FailPoint.UNIT_ROWS),
                    Map.entry("/text/splits/", FailPoint.UNIT_SPLIT),
                    Map.entry(".keys", FailPoint.UNIT_KEYS),
                    Map.entry(".dlp", FailPoint.UNIT_DEAD_LETTERS),
                    Map.entry("/lance/_deletions/", FailPoint.PUT_DELETION_FILE),
                    Map.entry("/text/deletes/", FailPoint.PUT_DELETE_BITMAP),
                    Map.entry("/lance/_versions/", FailPoint.PUT_ROW_VERSION),
                    Map.entry("/pkdelta/", FailPoint.PUT_KEY_DELTA),
                    Map.entry("/deadletters/", FailPoint.PUT_DEAD_LETTERS),
                    Map.entry("/manifests/", FailPoint.PUT_MANIFEST));

    private StoredObjects() {}

    /**
     * Creates the descriptor of a unit, before its objects, so that garbage collection keeps them.
     */
    public static void announce(
            ObjectStore objects, CollectionPaths paths, UnitDescriptor descriptor)
            throws IOException {
        String path = paths.stagedDescriptor(descriptor.unit());
        objects.put(path, UnitDescriptorCodec.encode(descriptor));
        stored(path);
    }

    /**
     * Creates independent objects at once. With fail points on it goes one by one, as a store that
     * fails in between might have done.
     */
    public static void putAll(ObjectStore objects, List<Put> puts) throws IOException {
        if (!FailPoint.isOn()) {
            objects.putAll(puts);
            return;
        }
        for (Put put : puts) {
            objects.put(put.path(), put.bytes());
            stored(put.path());
        }
    }

    /**
     * Creates a manifest. One whose answer was lost may find its own object.
     *
     * @throws CorruptException if another one has the name
     */
    public static void putManifest(ObjectStore objects, Put put) throws IOException {
        try {
            objects.put(put.path(), put.bytes());
        } catch (ObjectExistsException e) {
            if (!Arrays.equals(objects.get(put.path()), put.bytes())) {
                throw new CorruptException(
                        put.path() + ": another manifest has this name already", e);
            }
        }
    }

    /** Reaches the fail point of an object that was stored. */
    public static void stored(String path) {
        if (FailPoint.isOn()) {
            Optional<FailPoint> point = pointOf(path);
            if (point.isPresent()) {
                point.get().reach();
            }
        }
    }

    /**
     * A second look for an object that a get or a stat did not find, by other means. One false
     * answer is easily given: by a cache, or by a file system that was mounted anew.
     */
    public static boolean isListed(ObjectStore objects, String path) throws IOException {
        return objects.list(path).stream().anyMatch(found -> found.path().equals(path));
    }

    /** By the part of the path that every object of a kind has. */
    static Optional<FailPoint> pointOf(String path) {
        return POINTS.entrySet().stream()
                .filter(entry -> path.contains(entry.getKey()))
                .map(Map.Entry::getValue)
                .findFirst();
    }
}
