package io.loam.store.object;

import io.loam.store.object.ObjectStore.Put;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/** Finds out which puts took effect whose answers were lost. */
record PutOutcomes(ObjectStore objects) {
    private static final int CHUNK = 4 << 20;

    boolean holds(String path, byte[] bytes) throws IOException {
        Optional<ObjectInfo> info = objects.stat(path);
        return info.isPresent()
                && info.get().size() == bytes.length
                && Arrays.equals(objects.get(path), bytes);
    }

    boolean holds(String path, Path file) throws IOException {
        Optional<ObjectInfo> info = objects.stat(path);
        if (info.isEmpty() || info.get().size() != Files.size(file)) {
            return false;
        }
        try (InputStream in = Files.newInputStream(file)) {
            long at = 0;
            for (byte[] ours = in.readNBytes(CHUNK); ours.length > 0; ours = in.readNBytes(CHUNK)) {
                if (!Arrays.equals(objects.get(path, at, ours.length), ours)) {
                    return false;
                }
                at += ours.length;
            }
        }
        return true;
    }

    /**
     * Those that are still to be made.
     *
     * @throws ObjectExistsException if a path is taken by other bytes
     */
    List<Put> missing(List<Put> puts) throws IOException {
        List<Put> missing = new ArrayList<>();
        for (Put put : puts) {
            if (holds(put.path(), put.bytes())) {
                continue;
            }
            if (objects.stat(put.path()).isPresent()) {
                throw new ObjectExistsException(put.path());
            }
            missing.add(put);
        }
        return missing;
    }
}
