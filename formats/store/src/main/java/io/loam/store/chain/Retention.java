package io.loam.store.chain;

import java.io.Serializable;
import java.time.Duration;

/**
 * Which superseded manifests stay: the {@code keepManifests} youngest, and those superseded less
 * than {@code retentionMs} ago.
 */
public record Retention(int keepManifests, long retentionMs) implements Serializable {
    public static final Retention DEFAULT = new Retention(10, Duration.ofHours(24).toMillis());

    private static final long serialVersionUID = 1L;

    public Retention {
        if (keepManifests < 0 || retentionMs < 0) {
            throw new IllegalArgumentException(
                    "retention must not be negative: keep "
                            + keepManifests
                            + " manifests, "
                            + retentionMs
                            + " ms");
        }
    }
}
