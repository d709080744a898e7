package io.loam.codec.manifest;

import io.loam.codec.CorruptException;

import java.util.Map;

/**
 * Keys of a manifest's properties. Later manifests carry forward what the last apply commit set.
 */
public final class ManifestProperties {
    /** UUID of the last LINK_APPLY commit, hyphenated. */
    public static final String COMMIT_ID = "loam.commit-id";

    /** ULID of the incarnation that made it. */
    public static final String INCARNATION = "loam.incarnation";

    /** Its Flink checkpoint, decimal. */
    public static final String CHECKPOINT = "loam.checkpoint";

    /** Prefix: followed by an incarnation; the value is that incarnation's highest checkpoint. */
    public static final String HIGHEST_PREFIX = "loam.highest.";

    /** Prefix: followed by an incarnation; when it last committed, ms of the metastore's clock. */
    public static final String LAST_PREFIX = "loam.last.";

    /** Checksum of the row version's own manifest, see {@code LanceChecksum}. */
    public static final String ROW_VERSION = "loam.row-version";

    /** Checksum of the commit's PK delta, see {@link FileChecksum}. */
    public static final String PK_DELTA = "loam.pk-delta";

    /** Checksum of the commit's dead letters, see {@link FileChecksum}. */
    public static final String DEAD_LETTERS = "loam.dead-letters";

    public static final String WRITER = "loam.writer";
    public static final String JOB = "loam.job";

    /** {@code stream} or {@code direct}. */
    public static final String MODE = "loam.mode";

    /**
     * Units of the commit of which nothing else in the manifest tells, as none of their rows
     * stayed: ULIDs, comma-separated. Garbage collection learns from it that they are published.
     */
    public static final String ROWLESS_UNITS = "loam.rowless-units";

    /**
     * Id of an erasure: nothing before this very version is retained any more, whatever the
     * retention. Not carried forward.
     */
    public static final String RELEASES_HISTORY = "loam.releases-history";

    private ManifestProperties() {}

    /**
     * A decimal property.
     *
     * @throws CorruptException if it is not there or not a number
     */
    public static long number(Map<String, String> properties, String key) {
        String value = properties.get(key);
        try {
            return Long.parseLong(value);
        } catch (NumberFormatException e) {
            throw new CorruptException(
                    "manifest property " + key + " is \"" + value + "\", expected a number", e);
        }
    }
}
