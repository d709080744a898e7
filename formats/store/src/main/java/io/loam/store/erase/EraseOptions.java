package io.loam.store.erase;

import io.loam.codec.erase.ErasureRequest.Tagged;

import java.time.Duration;

/**
 * How an erasure is carried out; all times are milliseconds.
 *
 * @param owner whom leases and the history name
 * @param tagged what becomes of tagged versions that are older
 * @param applyWaitMs how long to wait for the deletions to be applied
 * @param leaseWaitMs how long to wait for side jobs and garbage collection to end
 * @param graceMs how long versions that were released stay readable
 */
public record EraseOptions(
        String owner, Tagged tagged, long applyWaitMs, long leaseWaitMs, long graceMs) {
    /** Time to erase from a request on. */
    public static final long DEADLINE_MS = Duration.ofDays(30).toMillis();

    public EraseOptions {
        if (applyWaitMs < 0 || leaseWaitMs < 0 || graceMs < 0) {
            throw new IllegalArgumentException("times of an erasure must not be negative");
        }
    }

    public static EraseOptions of(String owner) {
        return new EraseOptions(
                owner,
                Tagged.REWRITE,
                Duration.ofMinutes(10).toMillis(),
                Duration.ofMinutes(10).toMillis(),
                Duration.ofMinutes(10).toMillis());
    }

    public EraseOptions withTagged(Tagged other) {
        return new EraseOptions(owner, other, applyWaitMs, leaseWaitMs, graceMs);
    }

    public EraseOptions withWaitMs(long otherMs) {
        return new EraseOptions(owner, tagged, otherMs, otherMs, graceMs);
    }

    public EraseOptions withGraceMs(long otherMs) {
        return new EraseOptions(owner, tagged, applyWaitMs, leaseWaitMs, otherMs);
    }
}
