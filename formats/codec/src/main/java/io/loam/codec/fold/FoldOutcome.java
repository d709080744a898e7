package io.loam.codec.fold;

import io.loam.codec.record.Document;

import javax.annotation.Nullable;

/**
 * What the operations of one key do to its row.
 *
 * @param document of the new row, for INSERT and REPLACE
 * @param partition of the last writing record, for INSERT and REPLACE
 * @param offset of that record
 */
public record FoldOutcome(Effect effect, @Nullable Document document, int partition, long offset) {
    /** The row's fate. */
    public enum Effect {
        /** Nothing changes. */
        NONE,
        /** A row for a key that had none. */
        INSERT,
        /** A new row; the old one is deleted. */
        REPLACE,
        /** The row is deleted. */
        DELETE
    }

    static FoldOutcome of(Effect effect) {
        return new FoldOutcome(effect, null, 0, 0);
    }
}
