package io.loam.store.verify;

import io.loam.codec.json.Json;
import io.loam.codec.json.JsonSyntaxException;
import io.loam.codec.key.Partitioner;
import io.loam.codec.key.PrimaryKey;
import io.loam.codec.manifest.CollectionManifest;
import io.loam.codec.record.Document;
import io.loam.store.CollectionHandle;
import io.loam.store.commit.CommitMode;
import io.loam.store.spi.Projection;
import io.loam.store.spi.RowCursor;
import io.loam.store.spi.RowSnapshot;
import io.loam.store.spi.StoredRow;

import javax.annotation.Nullable;

import java.io.IOException;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/**
 * Reads every live row once: one row per key, ids below the high water, and, against an
 * expectation, the same keys with the same documents and sequence numbers. In direct mode sequence
 * numbers are not expected from outside: they are the key's partition and the row's own id.
 */
final class RowScan {
    private final CollectionManifest manifest;
    private final boolean direct;
    private final @Nullable Map<PrimaryKey, ExpectedRow> expected;
    private final Findings findings;
    private final Map<PrimaryKey, Long> rowOfKey = new HashMap<>();
    private final Set<Long> rowIds = new HashSet<>();
    private long rows;

    RowScan(
            CollectionManifest manifest,
            @Nullable Map<PrimaryKey, ExpectedRow> expected,
            Findings findings) {
        this.manifest = manifest;
        this.direct = CommitMode.isDirect(manifest);
        this.expected = expected;
        this.findings = findings;
    }

    void run(CollectionHandle handle) throws IOException {
        if (manifest.lanceVersion() != 0) {
            try (RowSnapshot snapshot = handle.rows().open(manifest, handle.schema());
                    RowCursor cursor = snapshot.scan(projection(), 0, 1)) {
                for (StoredRow row = cursor.next(); row != null; row = cursor.next()) {
                    check(row, handle.info().partitions());
                }
                findings.requireEqual("rows the row store counts", snapshot.countRows(), rows);
            }
        }
        findings.requireEqual("rows scanned", rows, manifest.liveDocCount());
        findings.count(VerifyReport.KEYS, rowOfKey.size());
        if (expected != null) {
            expected.keySet().stream()
                    .filter(key -> !rowOfKey.containsKey(key))
                    .sorted()
                    .forEach(key -> findings.violation("key " + key + ": has no row"));
        }
    }

    private Projection projection() {
        return expected == null ? new Projection(false, direct, false) : Projection.ALL;
    }

    private void check(StoredRow row, int partitions) {
        rows++;
        Long other = rowOfKey.put(row.key(), row.rowId());
        if (other != null) {
            findings.violation(
                    "key " + row.key() + ": rows " + text(other) + " and " + text(row.rowId()));
        }
        if (!rowIds.add(row.rowId())) {
            findings.violation("row " + text(row.rowId()) + ": stands twice");
        }
        if (Long.compareUnsigned(row.rowId(), manifest.rowIdHighWater()) >= 0) {
            findings.violation(
                    "row "
                            + text(row.rowId())
                            + ": not below the high water "
                            + text(manifest.rowIdHighWater()));
        }
        if (direct) {
            compareSequence(row, Partitioner.partitionOf(row.key(), partitions), row.rowId());
        }
        if (expected != null) {
            compare(row, expected.get(row.key()));
        }
    }

    private static String text(long rowId) {
        return Long.toUnsignedString(rowId);
    }

    private void compare(StoredRow row, @Nullable ExpectedRow expectation) {
        String key = "key " + row.key() + ": ";
        if (expectation == null) {
            findings.violation(key + "row " + text(row.rowId()) + " should not be there");
            return;
        }
        if (!direct) {
            compareSequence(row, expectation.partition(), expectation.offset());
        }
        try {
            Document document =
                    new Document(
                            row.key(),
                            Json.parseObject(row.source()),
                            row.vectors(),
                            row.sparseVectors());
            if (!document.equals(expectation.document())) {
                findings.violation(key + difference(document, expectation.document()));
            }
        } catch (JsonSyntaxException e) {
            findings.violation(key + "source is not JSON: " + e.getMessage());
        }
    }

    private void compareSequence(StoredRow row, int partition, long offset) {
        if (row.ingestPartition() != partition || row.ingestOffset() != offset) {
            findings.violation(
                    "key "
                            + row.key()
                            + ": written by partition "
                            + row.ingestPartition()
                            + " offset "
                            + Long.toUnsignedString(row.ingestOffset())
                            + ", expected partition "
                            + partition
                            + " offset "
                            + Long.toUnsignedString(offset));
        }
    }

    private static String difference(Document found, Document expected) {
        if (!found.source().equals(expected.source())) {
            return "source "
                    + Json.text(found.source())
                    + ", expected "
                    + Json.text(expected.source());
        }
        return "vectors are not the ones written; it has "
                + found.vectors().keySet()
                + found.sparseVectors().keySet()
                + ", expected "
                + expected.vectors().keySet()
                + expected.sparseVectors().keySet();
    }

    Map<PrimaryKey, Long> rowOfKey() {
        return rowOfKey;
    }
}
