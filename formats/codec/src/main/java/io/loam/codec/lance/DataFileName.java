package io.loam.codec.lance;

import io.loam.codec.Ulid;

import java.util.Locale;
import java.util.OptionalInt;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Names of the data files that units consist of: {@code <unit in lower case>-<crc32c of the file, 8
 * hex digits>.lance}; a file of row ids ends in {@code .rowids}. Lance's format has no place for a
 * checksum, and every manifest and descriptor that names a file holds the name.
 */
public final class DataFileName {
    private static final Pattern NAME =
            Pattern.compile("[0-9a-z]{26}-([0-9a-f]{8})\\.(lance|rowids)");

    private DataFileName() {}

    public static String of(Ulid unit, int crc32c) {
        return String.format("%s-%08x.lance", unit.toString().toLowerCase(Locale.ROOT), crc32c);
    }

    /** The file of the row ids of a unit's data file. */
    public static String ofRowIds(Ulid unit, int crc32c) {
        return String.format("%s-%08x.rowids", unit.toString().toLowerCase(Locale.ROOT), crc32c);
    }

    /** Whether a file at the root of a dataset can be one of row ids. */
    public static boolean isOfRowIds(String name) {
        return name.endsWith(".rowids") && NAME.matcher(name).matches();
    }

    /** The checksum in the name of a file, below any folders; none if somebody else named it. */
    public static OptionalInt crc32c(String path) {
        Matcher name = NAME.matcher(path.substring(path.lastIndexOf('/') + 1));
        return name.matches()
                ? OptionalInt.of(Integer.parseUnsignedInt(name.group(1), 16))
                : OptionalInt.empty();
    }
}
