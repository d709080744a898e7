package io.loam.store.commit;

import java.io.IOException;
import java.util.Map;

/**
 * A committable that can never be published: trying again cannot help. The message names the
 * partitions and offsets it covers and how to go on.
 */
public class CommitRefusedException extends IOException {
    private static final long serialVersionUID = 1L;

    private final transient Map<Integer, OffsetRange> progress;

    public CommitRefusedException(String message, Map<Integer, OffsetRange> progress) {
        super(message);
        this.progress = progress;
    }

    /** Offsets that were not published, by partition; empty in direct mode. */
    public Map<Integer, OffsetRange> progress() {
        return progress == null ? Map.of() : progress;
    }
}
