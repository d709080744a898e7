package io.loam.flink.connector;

import java.io.IOException;

/** The check every versioned serializer begins with. */
final class Versions {
    private Versions() {}

    static void require(String what, int found, int known) throws IOException {
        if (found != known) {
            throw new IOException(
                    what + " was written in version " + found + ", this build reads " + known);
        }
    }
}
