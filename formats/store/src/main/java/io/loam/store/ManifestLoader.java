package io.loam.store;

import io.loam.codec.CorruptException;
import io.loam.codec.manifest.CollectionManifest;
import io.loam.codec.manifest.ManifestCodec;
import io.loam.store.metastore.CollectionHead;
import io.loam.store.metastore.Pointer;
import io.loam.store.object.ObjectNotFoundException;
import io.loam.store.object.ObjectStore;

import javax.annotation.Nullable;

import java.io.IOException;

/**
 * Loads the manifest a pointer names. A manifest that is gone was collected after the pointer moved
 * on, so the pointer is read again; gone twice behind the same pointer it is lost.
 */
final class ManifestLoader {
    /** Reads the collection's head anew. */
    interface HeadReader {
        CollectionHead read() throws IOException;
    }

    private final ObjectStore objects;
    private final long collectionId;

    ManifestLoader(ObjectStore objects, long collectionId) {
        this.objects = objects;
        this.collectionId = collectionId;
    }

    LiveManifest load(@Nullable Pointer first, HeadReader heads) throws IOException {
        Pointer pointer = first;
        while (true) {
            try {
                return load(pointer);
            } catch (ObjectNotFoundException e) {
                Pointer now = heads.read().pointer();
                if (now == null || now.version() <= pointer.version()) {
                    throw new CorruptException(
                            "collection "
                                    + collectionId
                                    + ": the pointer names version "
                                    + pointer.version()
                                    + ", but there is no object at "
                                    + pointer.value(),
                            e);
                }
                pointer = now;
            }
        }
    }

    private LiveManifest load(@Nullable Pointer pointer) throws IOException {
        if (pointer == null) {
            return new LiveManifest(0, "", CollectionManifest.empty(collectionId));
        }
        String path = pointer.value();
        CollectionManifest manifest = ManifestCodec.decode(objects.get(path), path);
        requireEqual(path, "version", manifest.version(), pointer.version());
        requireEqual(path, "collection", manifest.collectionId(), collectionId);
        return new LiveManifest(pointer.version(), path, manifest);
    }

    private static void requireEqual(String path, String what, long actual, long expected) {
        if (actual != expected) {
            throw new CorruptException(
                    path
                            + ": "
                            + what
                            + " is "
                            + Long.toUnsignedString(actual)
                            + ", expected "
                            + Long.toUnsignedString(expected));
        }
    }
}
