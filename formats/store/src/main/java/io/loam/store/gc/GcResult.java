package io.loam.store.gc;

/**
 * What a pass did.
 *
 * @param deleted objects, the first of {@link GcPlan#deletes}
 * @param left objects that are due but were above the bound of a pass
 */
public record GcResult(GcPlan plan, int deleted, int left) {}
