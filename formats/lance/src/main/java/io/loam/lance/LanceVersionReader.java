package io.loam.lance;

import io.loam.codec.CorruptException;
import io.loam.codec.lance.LanceChecksum;
import io.loam.codec.lance.LanceFragment;
import io.loam.codec.lance.LanceManifest;
import io.loam.codec.manifest.CollectionPaths;
import io.loam.store.object.ObjectInfo;
import io.loam.store.object.ObjectStore;
import io.loam.store.object.ParallelIo;

import javax.annotation.Nullable;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Reads the manifest of a version and checks what it consists of before Lance sees it: native code
 * ends the process over a manifest that was cut, believes a deletion file whose bits have flipped,
 * and names no file over a data file that is too short. Lance then opens the manifest that was
 * checked and does not read it again, so that the check costs no round trip.
 */
final class LanceVersionReader implements AutoCloseable {
    private final ObjectStore objects;
    private final String dataset;
    private final boolean local;
    private final ParallelIo reads = new ParallelIo("lance-check");

    /**
     * @param dataset path of the dataset, without a slash at the end
     * @param local whether a look at a file is no round trip; stores elsewhere say themselves that
     *     an object is shorter than what is read of it
     */
    LanceVersionReader(ObjectStore objects, String dataset, boolean local) {
        this.objects = objects;
        this.dataset = dataset;
        this.local = local;
    }

    /**
     * What is known of a version.
     *
     * @param message its Manifest message, in memory that native code can read
     * @param rowIds files of row ids by their names
     */
    record Checked(
            LanceManifest manifest,
            ByteBuffer message,
            List<ParallelIo.Awaited<Boolean>> deletions,
            Map<String, ParallelIo.Awaited<byte[]>> rowIds) {
        /**
         * Waits for the checks that go on while Lance opens the version.
         *
         * @return the manifest with all row ids
         */
        LanceManifest await() throws IOException {
            for (ParallelIo.Awaited<Boolean> file : deletions) {
                file.get();
            }
            if (rowIds.isEmpty()) {
                return manifest;
            }
            Map<String, byte[]> files = new HashMap<>();
            for (Map.Entry<String, ParallelIo.Awaited<byte[]>> file : rowIds.entrySet()) {
                files.put(file.getKey(), file.getValue().get());
            }
            return manifest.withRowIds(files::get);
        }
    }

    /**
     * @param checksum of the manifest file, as {@link LanceChecksum} writes it; null if not known
     * @throws CorruptException naming the object that is damaged
     * @throws io.loam.store.object.ObjectNotFoundException naming the one that is gone
     */
    Checked read(long version, @Nullable String checksum) throws IOException {
        LanceManifest manifest = manifest(version, checksum);
        if (local) {
            checkDataFiles(manifest);
        }
        return new Checked(
                manifest, direct(manifest.toMessage()), checkDeletions(manifest), rowIds(manifest));
    }

    /** The manifest alone; throws as {@link #read}. */
    LanceManifest manifest(long version, @Nullable String checksum) throws IOException {
        String path = dataset + "/" + CollectionPaths.lanceVersionFile(version);
        byte[] file = objects.get(path);
        LanceChecksum.check(checksum, version, file, path);
        LanceManifest manifest = LanceManifest.parse(file, path);
        if (manifest.version() != version) {
            throw new CorruptException(
                    path
                            + ": is the manifest of version "
                            + Long.toUnsignedString(manifest.version()));
        }
        return manifest;
    }

    private static ByteBuffer direct(byte[] bytes) {
        return ByteBuffer.allocateDirect(bytes.length).put(bytes).flip();
    }

    private Map<String, ParallelIo.Awaited<byte[]>> rowIds(LanceManifest manifest) {
        Map<String, ParallelIo.Awaited<byte[]>> files = new HashMap<>();
        for (String name : manifest.rowIdFiles()) {
            files.put(name, reads.start(name, any -> objects.get(dataset + "/" + name)));
        }
        return files;
    }

    private List<ParallelIo.Awaited<Boolean>> checkDeletions(LanceManifest manifest) {
        return manifest.fragments().stream()
                .filter(fragment -> fragment.deletionFile() != null)
                .map(fragment -> reads.start(fragment, any -> checkDeletions(manifest, fragment)))
                .toList();
    }

    private boolean checkDeletions(LanceManifest manifest, LanceFragment fragment)
            throws IOException {
        manifest.checkDeletionFile(fragment, objects.get(dataset + "/" + fragment.deletionFile()));
        return true;
    }

    private void checkDataFiles(LanceManifest manifest) throws IOException {
        for (Map.Entry<String, Long> file : manifest.dataFileSizes().entrySet()) {
            String name = dataset + "/" + file.getKey();
            Optional<ObjectInfo> found = objects.stat(name);
            if (found.isEmpty()) {
                throw new CorruptException(name + ": is gone, " + manifest.path() + " names it");
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

    @Override
    public void close() {
        reads.close();
    }
}
