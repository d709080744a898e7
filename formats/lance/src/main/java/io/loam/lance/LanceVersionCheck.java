package io.loam.lance;

import io.loam.codec.CorruptException;
import io.loam.codec.lance.LanceManifest;
import io.loam.codec.manifest.CollectionPaths;
import io.loam.store.object.ObjectInfo;
import io.loam.store.object.ObjectStore;

import java.io.IOException;
import java.util.Map;
import java.util.Optional;

/**
 * What a version consists of, looked at before Lance is: its native code ends the process over a
 * manifest that was cut, and names no file over a data file that was.
 */
final class LanceVersionCheck {
    private LanceVersionCheck() {}

    /**
     * @param dataset path of the dataset, without a slash at the end
     * @throws CorruptException naming the object that is damaged
     * @throws io.loam.store.object.ObjectNotFoundException naming the one that is gone
     */
    static void check(ObjectStore objects, String dataset, long version) throws IOException {
        String path = dataset + "/" + CollectionPaths.lanceVersionFile(version);
        LanceManifest manifest = LanceManifest.parse(objects.get(path), path);
        for (Map.Entry<String, Long> file : manifest.dataFileSizes().entrySet()) {
            String name = dataset + "/" + file.getKey();
            Optional<ObjectInfo> found = objects.stat(name);
            if (found.isEmpty()) {
                throw new CorruptException(name + ": is gone, " + path + " names it");
            }
            if (file.getValue() != 0 && found.get().size() != file.getValue()) {
                throw new CorruptException(
                        name
                                + ": has "
                                + found.get().size()
                                + " bytes, expected "
                                + file.getValue());
            }
        }
    }
}
