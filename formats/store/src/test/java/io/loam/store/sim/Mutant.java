package io.loam.store.sim;

/** Ways to be wrong. A simulation that lets one pass tests nothing. */
enum Mutant {
    /** As it is meant. */
    NONE,
    /** A committer publishes on whatever is live, whatever its committable stands on. */
    COMMITTER_IGNORES_BASE,
    /** A swap does not look at the lease's epoch. */
    SWAP_IGNORES_EPOCH,
    /** A swap does not look at the version. */
    SWAP_IGNORES_VERSION,
    /** The collector knows of no staged units. */
    GC_IGNORES_DESCRIPTORS,
    /** The collector lists what to judge after it has read everything else. */
    GC_LISTS_LAST,
    /** The collector's clock runs ahead, so that there is no grace. */
    GC_IGNORES_GRACE,
    /** The collector sees no tags. */
    GC_IGNORES_TAGS,
    /** A merge uploads its split without a descriptor. */
    MERGE_IS_NOT_ANNOUNCED,
    /** A restored index is taken as it is. */
    INDEX_NOT_REPAIRED
}
