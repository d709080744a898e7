package io.loam.codec.lance;

import io.loam.codec.CorruptException;
import io.loam.codec.Crc32c;

import javax.annotation.Nullable;

/**
 * The checksum of a row version's manifest, which Lance has no place for: a property of the
 * collection's manifest, {@code <version>:<crc32c of the file, 8 hex digits>}. It holds for that
 * version only, so that a commit that makes another version and carries the property forward does
 * no harm; that version is then not checked.
 */
public final class LanceChecksum {
    private LanceChecksum() {}

    public static String of(long version, byte[] file) {
        return String.format("%s:%08x", Long.toUnsignedString(version), Crc32c.of(file));
    }

    /**
     * @param property as it stands in the collection's manifest, null if it does not
     * @throws CorruptException if it is of this version and the file is another
     */
    public static void check(@Nullable String property, long version, byte[] file, String path) {
        if (property == null || !property.startsWith(Long.toUnsignedString(version) + ":")) {
            return;
        }
        String actual = of(version, file);
        if (!actual.equals(property)) {
            throw new CorruptException(
                    path
                            + ": version and crc32c of the file are "
                            + actual
                            + ", expected "
                            + property);
        }
    }
}
