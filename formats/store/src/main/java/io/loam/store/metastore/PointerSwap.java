package io.loam.store.metastore;

/**
 * A compare-and-swap of a pointer.
 *
 * @param expectedVersion the version that must be there; 0 means the pointer must be absent
 * @param leaseKey lease whose epoch must equal {@code leaseEpoch} and that must have an owner
 * @param createdAtMs when the commit began, metastore clock
 * @param maxAgeMs the swap is refused once {@code createdAtMs + maxAgeMs} is below the clock
 */
public record PointerSwap(
        long namespaceId,
        String key,
        long expectedVersion,
        String value,
        String leaseKey,
        long leaseEpoch,
        long createdAtMs,
        long maxAgeMs) {}
