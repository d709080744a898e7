package io.loam.flink.connector.source;

import org.apache.flink.annotation.Internal;
import org.apache.flink.api.connector.source.SourceSplit;

/**
 * A share of the data files of one version of a collection.
 *
 * @param part of {@code parts}, from 0
 * @param emitted rows of it that were emitted already; the order of a share's rows is fixed
 */
@Internal
record CollectionSplit(long version, int part, int parts, long emitted) implements SourceSplit {
    @Override
    public String splitId() {
        return version + "-" + part + "/" + parts;
    }

    CollectionSplit at(long rows) {
        return new CollectionSplit(version, part, parts, rows);
    }
}
