package io.loam.store.commit;

import io.loam.codec.manifest.CollectionManifest;

import java.util.Optional;

/** Where a collection's operations come from; fixed by its first commit. */
public enum CommitMode {
    /** From its implicit stream; {@code applied} moves. */
    STREAM,
    /** From a changelog; {@code applied} stays empty. */
    DIRECT;

    /**
     * The mode that a collection's first commit fixed; empty before it.
     *
     * @throws io.loam.codec.CorruptException if the manifest names no mode there is
     */
    public static Optional<CommitMode> of(CollectionManifest live) {
        return ApplyProperties.mode(live.properties());
    }

    /** Whether a collection's operations come from changelogs; not before its first commit. */
    public static boolean isDirect(CollectionManifest live) {
        return of(live).equals(Optional.of(DIRECT));
    }

    /**
     * Why this mode may not write a collection; empty if it may.
     *
     * @param collection as people name it
     */
    public Optional<String> contradiction(String collection, CollectionManifest live) {
        return of(live).filter(fixed -> fixed != this)
                .map(
                        fixed ->
                                "collection "
                                        + collection
                                        + " was first written in "
                                        + fixed
                                        + " mode and takes no writer in "
                                        + this
                                        + " mode; set loam.sink.mode="
                                        + fixed
                                        + ", or write another collection");
    }
}
