package io.loam.codec.manifest;

import io.loam.codec.CorruptException;
import io.loam.codec.Ulid;

/**
 * What the path of an object below a collection's root says it is. Only a name exactly as {@link
 * CollectionPaths} makes it has a shape; anything else is somebody else's and {@link #UNKNOWN}.
 */
public enum ObjectShape {
    MANIFEST,
    SPLIT,
    DELETE_BITMAP,
    PK_DELTA,
    DEAD_LETTERS,
    OPERATION,
    /** Any object of a hot artifact. */
    HOT,
    STAGED_DESCRIPTOR,
    STAGED_KEYS,
    STAGED_DEAD_LETTERS,
    /** A file of the Lance dataset that belongs to some of its versions only. */
    LANCE,
    /** Manifest of a mainline version of the Lance dataset. */
    LANCE_MAINLINE,
    UNKNOWN;

    private static final int VERSION_DIGITS = 20;
    private static final int ULID_CHARS = 26;

    /** The shape of an object's full path. */
    public static ObjectShape of(CollectionPaths paths, String path) {
        if (path.startsWith(paths.lance())) {
            return lance(path.substring(paths.lance().length()));
        }
        if (!path.startsWith(paths.root())) {
            return UNKNOWN;
        }
        String[] parts = path.substring(paths.root().length()).split("/", -1);
        return switch (parts[0]) {
            case "manifests" -> flat(parts, ".pb", MANIFEST);
            case "pkdelta" -> flat(parts, ".pkd", PK_DELTA);
            case "deadletters" -> flat(parts, ".dlq", DEAD_LETTERS);
            case "ops" -> flat(parts, ".op", OPERATION);
            case "text" -> text(parts);
            case "staged" -> staged(parts);
            case "hot" -> hot(parts);
            default -> UNKNOWN;
        };
    }

    private static ObjectShape lance(String relative) {
        return switch (CollectionPaths.lanceFile(relative)) {
            case COLLECTABLE -> LANCE;
            case MAINLINE_MANIFEST -> LANCE_MAINLINE;
            case UNKNOWN -> UNKNOWN;
        };
    }

    private static ObjectShape flat(String[] parts, String suffix, ObjectShape shape) {
        return parts.length == 2
                        && parts[1].endsWith(suffix)
                        && isVersioned(parts[1].substring(0, parts[1].length() - suffix.length()))
                ? shape
                : UNKNOWN;
    }

    private static ObjectShape text(String[] parts) {
        if (parts.length == 3 && parts[1].equals("splits") && isUlid(parts[2], ".split")) {
            return SPLIT;
        }
        return parts.length == 4
                        && parts[1].equals("deletes")
                        && isUlid(parts[2], "")
                        && isUlid(parts[3], ".bitmap")
                ? DELETE_BITMAP
                : UNKNOWN;
    }

    private static ObjectShape staged(String[] parts) {
        if (parts.length != 2) {
            return UNKNOWN;
        }
        if (isUlid(parts[1], ".stg")) {
            return STAGED_DESCRIPTOR;
        }
        if (isUlid(parts[1], ".keys")) {
            return STAGED_KEYS;
        }
        return isUlid(parts[1], ".dlp") ? STAGED_DEAD_LETTERS : UNKNOWN;
    }

    /** {@code hot/hnsw/<column>/<version>-<ULID>/...}. */
    private static ObjectShape hot(String[] parts) {
        return parts.length > 4
                        && parts[1].equals("hnsw")
                        && !parts[2].isEmpty()
                        && isVersioned(parts[3])
                        && !parts[parts.length - 1].isEmpty()
                ? HOT
                : UNKNOWN;
    }

    /** {@code <20 digits>-<ULID>}. */
    private static boolean isVersioned(String stem) {
        if (stem.length() != VERSION_DIGITS + 1 + ULID_CHARS
                || stem.charAt(VERSION_DIGITS) != '-'
                || !isUlid(stem.substring(VERSION_DIGITS + 1), "")) {
            return false;
        }
        String digits = stem.substring(0, VERSION_DIGITS);
        return digits.chars().allMatch(c -> c >= '0' && c <= '9')
                && digits.compareTo("18446744073709551615") <= 0;
    }

    private static boolean isUlid(String name, String suffix) {
        if (name.length() != ULID_CHARS + suffix.length() || !name.endsWith(suffix)) {
            return false;
        }
        try {
            Ulid.parse(name.substring(0, ULID_CHARS));
            return true;
        } catch (CorruptException e) {
            return false;
        }
    }
}
