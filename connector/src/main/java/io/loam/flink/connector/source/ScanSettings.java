package io.loam.flink.connector.source;

import javax.annotation.Nullable;

import java.io.Serializable;
import java.util.List;

/**
 * What a source reads.
 *
 * @param version to read, or after which changes are read; null for the newest
 * @param timestampMs the newest version of this time is read; null if no time was given
 * @param keys canonical bytes of the only keys wanted; null for all
 * @param filter of the rows wanted; null for all
 * @param counted whether just the number of rows is wanted
 * @param limit rows that are enough of each reader
 * @param discoveryMs between looks for new versions
 */
record ScanSettings(
        ScanMode mode,
        @Nullable Long version,
        @Nullable Long timestampMs,
        @Nullable List<byte[]> keys,
        @Nullable RowFilter filter,
        boolean counted,
        long limit,
        long discoveryMs)
        implements Serializable {
    private static final long serialVersionUID = 1L;
}
