package io.loam.store.commit;

/**
 * Offsets of one partition that a committable covers: {@code from} inclusive, {@code to} exclusive.
 *
 * @param skipped offsets in between that the log no longer held or never had
 */
public record OffsetRange(long from, long to, long skipped) {}
