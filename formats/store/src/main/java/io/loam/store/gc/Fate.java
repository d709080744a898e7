package io.loam.store.gc;

/** What becomes of an object in a pass, and why. */
public enum Fate {
    /** A retained manifest, or an object that one needs. */
    RETAINED(false, "needed by a retained version"),
    TAGGED(false, "needed by a tagged version"),
    /** An object of a manifest that is no longer retained but still there; goes one run later. */
    NEXT_RUN(false, "named by a manifest that is not retained; goes after it"),
    /** A unit that may still be published, or its descriptor. */
    STAGED(false, "of a staged unit that may still be published"),
    YOUNG(false, "younger than the grace"),
    MAINLINE(false, "of the row dataset's own mainline"),
    RETIRED(false, "below a retired path, which has a pass of its own"),
    UNKNOWN(false, "not of a shape this release knows"),
    UNREADABLE(false, "the collection cannot be read in full, so nothing of it is deleted"),

    SUPERSEDED(true, "a manifest that is not retained"),
    UNREFERENCED(true, "no retained version and no staged unit needs it"),
    PUBLISHED(true, "descriptor of a unit that a retained version names"),
    EXPIRED(true, "descriptor of a unit that can no longer be published"),
    /** Only when an erasure collects. */
    RELEASED(true, "of a version that an erasure released"),
    /** Only when an erasure collects. */
    RELEASED_MANIFEST(true, "a manifest that an erasure released"),
    DROPPED(true, "of a collection that was dropped"),
    OWNERLESS(true, "of a key index whose collection is not there");

    private final boolean deleted;
    private final String reason;

    Fate(boolean deleted, String reason) {
        this.deleted = deleted;
        this.reason = reason;
    }

    public boolean isDeleted() {
        return deleted;
    }

    /** For people. */
    public String reason() {
        return reason;
    }
}
