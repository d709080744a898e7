package io.loam.flink.connector.source;

import org.apache.flink.annotation.Internal;
import org.apache.flink.api.connector.source.SourceSplit;

import java.util.Locale;

/**
 * A share of the rows of one version of a collection, or of the changes after it.
 *
 * @param version of the rows; of changes, the last one that is behind the share
 * @param number of the data file or of the index's split; of changes, the share, from 0; of a
 *     count, the count
 * @param parts shares of the changes; else 0
 * @param emitted rows that were emitted already: of the share, whose order is fixed, or of the
 *     changes to the version after {@code version}
 */
@Internal
record CollectionSplit(Kind kind, long version, long number, int parts, long emitted)
        implements SourceSplit {

    /** What is read; the ordinals stand in checkpoints. */
    enum Kind {
        /** The rows of a data file. */
        FILE,
        /** The rows of one of the index's splits that match the scan's filter. */
        MATCHES,
        /** The rows of the scan's keys. */
        KEYS,
        /** The number of rows, and no row. */
        COUNT,
        /** Changes, without an end. */
        CHANGES
    }

    static CollectionSplit of(Kind kind, long version, long number) {
        return new CollectionSplit(kind, version, number, 0, 0);
    }

    static CollectionSplit changes(long after, int part, int parts) {
        return new CollectionSplit(Kind.CHANGES, after, part, parts, 0);
    }

    boolean isChanges() {
        return kind == Kind.CHANGES;
    }

    @Override
    public String splitId() {
        return isChanges()
                ? "changes-" + number + "/" + parts
                : version + "-" + kind.name().toLowerCase(Locale.ROOT) + "-" + number;
    }

    CollectionSplit at(long reached, long rows) {
        return new CollectionSplit(kind, reached, number, parts, rows);
    }
}
