package io.loam.codec.manifest;

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

    public static final String WRITER = "loam.writer";
    public static final String JOB = "loam.job";

    /** {@code stream} or {@code direct}. */
    public static final String MODE = "loam.mode";

    private ManifestProperties() {}
}
