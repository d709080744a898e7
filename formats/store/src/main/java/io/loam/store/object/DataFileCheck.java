package io.loam.store.object;

import io.loam.codec.CorruptException;
import io.loam.codec.lance.DataFileName;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.OptionalInt;
import java.util.zip.CRC32C;

/** Compares data files with the checksums in their names. */
public final class DataFileCheck {
    private static final int CHUNK_BYTES = 1 << 20;
    private static final int LOCAL_CHUNK_BYTES = 1 << 16;

    private DataFileCheck() {}

    /** The checksum of a local file. */
    public static int crc32c(Path file) throws IOException {
        CRC32C crc = new CRC32C();
        // Outside the heap: the bytes are copied once, from the kernel, and stay in the CPU's
        // cache.
        ByteBuffer chunk = ByteBuffer.allocateDirect(LOCAL_CHUNK_BYTES);
        try (FileChannel in = FileChannel.open(file, StandardOpenOption.READ)) {
            while (in.read(chunk.clear()) >= 0) {
                crc.update(chunk.flip());
            }
        }
        return (int) crc.getValue();
    }

    /**
     * As {@link #check(ObjectStore, String)} for an object that is a local file.
     *
     * @param path what the object is called in messages
     */
    public static void check(Path file, String path) throws IOException {
        OptionalInt expected = DataFileName.crc32c(path);
        if (expected.isEmpty()) {
            return;
        }
        try {
            compare(path, crc32c(file), expected.getAsInt());
        } catch (NoSuchFileException e) {
            throw new ObjectNotFoundException(path);
        }
    }

    /**
     * Reads an object to its end, unless its name has no checksum.
     *
     * @throws CorruptException naming the object if it is another than the one that was written
     * @throws ObjectNotFoundException if it is gone
     */
    public static void check(ObjectStore objects, String path) throws IOException {
        OptionalInt expected = DataFileName.crc32c(path);
        if (expected.isEmpty()) {
            return;
        }
        long size = objects.stat(path).orElseThrow(() -> new ObjectNotFoundException(path)).size();
        compare(path, crc32c(objects, path, size), expected.getAsInt());
    }

    private static void compare(String path, int crc, int expected) {
        if (crc != expected) {
            throw new CorruptException(
                    String.format("%s: crc32c is %08x, expected the one in its name", path, crc));
        }
    }

    /** The checksum of an object's first bytes. */
    public static int crc32c(ObjectStore objects, String path, long size) throws IOException {
        CRC32C crc = new CRC32C();
        for (long at = 0; at < size; at += CHUNK_BYTES) {
            crc.update(objects.get(path, at, (int) Math.min(CHUNK_BYTES, size - at)));
        }
        return (int) crc.getValue();
    }
}
