package io.loam.store.tag;

import io.loam.codec.record.ConsistencyToken;

/** Which version gets a tag. */
public sealed interface TagTarget {
    /** The live version of now. */
    record Current() implements TagTarget {}

    /** A retained version. */
    record Version(long version) implements TagTarget {}

    /** The live version as soon as it holds everything that was written before the token. */
    record Token(ConsistencyToken token) implements TagTarget {}

    static TagTarget current() {
        return new Current();
    }

    static TagTarget version(long version) {
        return new Version(version);
    }

    /**
     * At a token in its written form.
     *
     * @throws IllegalArgumentException if it is none
     */
    static TagTarget token(String text) {
        return new Token(
                ConsistencyToken.parse(text)
                        .orElseThrow(
                                () ->
                                        new IllegalArgumentException(
                                                "not a consistency token: \""
                                                        + text
                                                        + "\"; one looks like"
                                                        + " v1:s7/p0@120,s7/p1@98")));
    }
}
