package io.loam.codec.manifest;

import io.loam.codec.CorruptException;

import javax.annotation.Nullable;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Map;

/**
 * The checksum of an enveloped object that belongs to one commit, as a property of its manifest:
 * {@code <last segment of the path>:<checksum at the end of the envelope, 8 hex digits>}. The
 * envelope tells that its bytes are whole, this that they are the ones that were meant. Says
 * nothing of other objects, so that a commit that carries it forward does no harm.
 */
public final class FileChecksum {
    private FileChecksum() {}

    public static String of(String path, byte[] object) {
        return String.format("%s:%08x", lastSegment(path), checksum(object));
    }

    /**
     * @param key of the property; nothing is checked without it
     * @param object whose envelope was checked
     * @throws CorruptException if it is another object
     */
    public static void check(
            Map<String, String> properties, String key, String path, byte[] object) {
        @Nullable String expected = properties.get(key);
        boolean known = expected != null && expected.startsWith(lastSegment(path) + ":");
        if (known && !expected.equals(of(path, object))) {
            throw new CorruptException(
                    path
                            + ": name and checksum are "
                            + of(path, object)
                            + ", expected "
                            + expected
                            + "; it is another object");
        }
    }

    private static String lastSegment(String path) {
        return path.substring(path.lastIndexOf('/') + 1);
    }

    private static int checksum(byte[] object) {
        return ByteBuffer.wrap(object)
                .order(ByteOrder.LITTLE_ENDIAN)
                .getInt(object.length - Integer.BYTES);
    }
}
