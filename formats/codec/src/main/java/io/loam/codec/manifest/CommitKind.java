package io.loam.codec.manifest;

/** What kind of commit made a manifest; the number is the protobuf value. */
public enum CommitKind {
    LINK_APPLY(1),
    INDEX_BUILD(2),
    MAINTENANCE(3);

    private final int number;

    CommitKind(int number) {
        this.number = number;
    }

    public int number() {
        return number;
    }
}
