package io.loam.store.object;

import io.loam.codec.CorruptException;
import io.loam.codec.lance.DataFileName;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.OptionalInt;
import java.util.zip.CRC32C;

/** Compares data files with the checksums in their names. */
public final class DataFileCheck {
    private static final int CHUNK_BYTES = 1 << 20;

    private DataFileCheck() {}

    /** The checksum of a local file. */
    public static int crc32c(Path file) throws IOException {
        CRC32C crc = new CRC32C();
        byte[] chunk = new byte[CHUNK_BYTES];
        try (InputStream in = Files.newInputStream(file)) {
            for (int read = in.read(chunk); read >= 0; read = in.read(chunk)) {
                crc.update(chunk, 0, read);
            }
        }
        return (int) crc.getValue();
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
        int crc = crc32c(objects, path, size);
        if (crc != expected.getAsInt()) {
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
