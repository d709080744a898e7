package io.loam.store.commit;

import io.loam.codec.Ulid;
import io.loam.codec.manifest.CollectionPaths;
import io.loam.store.RowVersions;
import io.loam.store.object.ObjectStore;
import io.loam.store.object.ParallelIo;

import java.io.IOException;
import java.util.function.Supplier;

/**
 * What building a commit reads with and names by.
 *
 * @param ulids names of the commit's start for new objects
 */
public record CommitIo(
        ObjectStore objects,
        CollectionPaths paths,
        RowVersions rows,
        ParallelIo reads,
        Supplier<Ulid> ulids) {
    /** A new id of a row version. Detached ones have the top bit set and are otherwise random. */
    public long detachedVersion() {
        return ulids.get().low() | Long.MIN_VALUE;
    }

    /** Whether an object is there and has so many bytes. */
    public boolean has(String path, long bytes) throws IOException {
        return objects.stat(path).filter(found -> found.size() == bytes).isPresent();
    }
}
