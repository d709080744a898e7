package io.loam.codec.manifest;

import java.util.ArrayList;
import java.util.List;

/** The rules a manifest's splits must keep for readers to map row ids to documents and back. */
final class ManifestCheck {
    private static final long MAX_DOCS = 1L << 32;

    private ManifestCheck() {}

    /** Thrown with what was found and what was expected. */
    static final class Violation extends Exception {
        private static final long serialVersionUID = 1L;

        Violation(String what, Object found, Object expected) {
            super(what + ": found " + found + ", expected " + expected);
        }
    }

    static void check(CollectionManifest manifest) throws Violation {
        List<RowIdRange> all = new ArrayList<>();
        for (SplitRef split : manifest.splits()) {
            checkSplit(split);
            all.addAll(split.ranges());
        }
        all.sort((a, b) -> Long.compareUnsigned(a.start(), b.start()));
        for (int i = 1; i < all.size(); i++) {
            if (Long.compareUnsigned(all.get(i - 1).end(), all.get(i).start()) > 0) {
                throw new Violation(
                        "row ids of two splits",
                        all.get(i - 1) + " and " + all.get(i),
                        "disjoint ranges");
            }
        }
    }

    static void checkSplit(SplitRef split) throws Violation {
        String name = "split " + split.ulid() + ": ";
        if (Long.compareUnsigned(split.footerStart(), split.footerEnd()) > 0) {
            throw new Violation(
                    name + "footer_start",
                    Long.toUnsignedString(split.footerStart()),
                    "at most footer_end " + Long.toUnsignedString(split.footerEnd()));
        }
        if (Long.compareUnsigned(split.docCount(), MAX_DOCS) > 0) {
            throw new Violation(
                    name + "doc_count", Long.toUnsignedString(split.docCount()), "at most 2^32");
        }
        RowIdRange previous = null;
        for (RowIdRange range : split.ranges()) {
            if (Long.compareUnsigned(range.start(), range.end()) >= 0) {
                throw new Violation(name + "row ids", range, "a range that is not empty");
            }
            if (previous != null && Long.compareUnsigned(range.start(), previous.end()) < 0) {
                throw new Violation(
                        name + "row ids", range, "a start of at least the end of " + previous);
            }
            previous = range;
        }
        if (RowIdRuns.count(split.ranges()) != split.docCount()) {
            throw new Violation(
                    name + "row ids in ranges",
                    Long.toUnsignedString(RowIdRuns.count(split.ranges())),
                    "doc_count " + Long.toUnsignedString(split.docCount()));
        }
    }
}
