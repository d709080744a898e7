package io.loam.store.maintain;

import io.loam.codec.lance.LanceChecksum;
import io.loam.codec.lance.LanceManifest;
import io.loam.codec.manifest.CollectionManifest;
import io.loam.codec.manifest.CollectionPaths;
import io.loam.codec.manifest.ManifestProperties;
import io.loam.store.object.ObjectStore;

import java.io.IOException;

/** Reads the row version that a manifest names. */
final class RowVersions {
    private RowVersions() {}

    /**
     * @param manifest with rows
     * @throws io.loam.codec.CorruptException if it is not the version that was published
     */
    static LanceManifest read(
            ObjectStore objects, CollectionPaths paths, CollectionManifest manifest)
            throws IOException {
        long version = manifest.lanceVersion();
        String path = paths.lanceVersion(version);
        byte[] file = objects.get(path);
        String checksum = manifest.properties().get(ManifestProperties.ROW_VERSION);
        LanceChecksum.check(checksum, version, file, path);
        return LanceManifest.parse(file, path);
    }
}
