package io.loam.store.verify;

import io.loam.codec.CorruptException;
import io.loam.codec.key.PrimaryKey;
import io.loam.codec.manifest.CollectionManifest;
import io.loam.codec.manifest.RowLocator;
import io.loam.codec.manifest.SplitRef;
import io.loam.store.CollectionHandle;
import io.loam.store.query.SearchQuery;
import io.loam.store.read.DeletedDocs;
import io.loam.store.spi.SplitReader;

import org.roaringbitmap.RoaringBitmap;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Every live document of a split is one live row and back. Each live row must be in exactly the
 * split and document its id says, under the same key and row id; then a split that has as many live
 * documents as rows has no others.
 */
final class SplitCheck {
    /** A live row and the document its id points at. */
    private record Mapped(PrimaryKey key, long rowId, long doc) {}

    private final CollectionHandle handle;
    private final CollectionManifest manifest;
    private final Findings findings;

    SplitCheck(CollectionHandle handle, CollectionManifest manifest, Findings findings) {
        this.handle = handle;
        this.manifest = manifest;
        this.findings = findings;
    }

    void run(Map<PrimaryKey, Long> rowOfKey) throws IOException {
        List<SplitRef> splits = manifest.splits();
        long liveDocs = splits.stream().mapToLong(SplitRef::liveCount).sum();
        findings.requireEqual("live documents of the splits", liveDocs, manifest.liveDocCount());
        List<List<Mapped>> rowsOfSplit = locate(rowOfKey);
        for (int i = 0; i < splits.size(); i++) {
            try {
                check(splits.get(i), rowsOfSplit.get(i));
            } catch (CorruptException e) {
                findings.violation("split " + splits.get(i).ulid() + ": " + e.getMessage());
            }
        }
        findings.count("splits", splits.size());
        findings.count("split documents", liveDocs);
    }

    private List<List<Mapped>> locate(Map<PrimaryKey, Long> rowOfKey) {
        List<List<Mapped>> rows = new ArrayList<>();
        manifest.splits().forEach(split -> rows.add(new ArrayList<>()));
        RowLocator locator = RowLocator.of(manifest.splits());
        rowOfKey.forEach(
                (key, rowId) -> {
                    Optional<RowLocator.Place> place = locator.locate(rowId);
                    if (place.isPresent()) {
                        rows.get(place.get().split())
                                .add(new Mapped(key, rowId, place.get().doc()));
                    } else {
                        findings.violation(
                                "key "
                                        + key
                                        + ": row "
                                        + text(rowId)
                                        + " is in the range of no split");
                    }
                });
        return rows;
    }

    private static String text(long rowId) {
        return Long.toUnsignedString(rowId);
    }

    private void check(SplitRef split, List<Mapped> rows) throws IOException {
        String name = "split " + split.ulid() + ": ";
        RoaringBitmap deleted = DeletedDocs.load(handle.objects(), split);
        findings.requireEqual(name + "live rows in its ranges", rows.size(), split.liveCount());
        try (SplitReader reader = handle.splits().open(split, handle.schema(), deleted)) {
            findings.requireEqual(name + "documents", reader.docCount(), split.docCount());
            findings.requireEqual(
                    name + "documents a search sees",
                    reader.count(new SearchQuery.All()),
                    split.liveCount());
            for (Mapped row : rows) {
                check(name, reader, deleted, row);
            }
        }
    }

    private void check(String split, SplitReader reader, RoaringBitmap deleted, Mapped row)
            throws IOException {
        String name = split + "document " + row.doc() + " of key " + row.key() + ": ";
        if (deleted.contains((int) row.doc())) {
            findings.violation(name + "is deleted, but row " + text(row.rowId()) + " is live");
        }
        int[] byRow = reader.docsOfRowId(row.rowId());
        if (byRow.length != 1 || byRow[0] != row.doc()) {
            findings.violation(
                    name
                            + "row "
                            + text(row.rowId())
                            + " is in documents "
                            + Arrays.toString(byRow));
        }
        boolean underKey = false;
        for (int doc : reader.docsOfKey(row.key().canonical())) {
            underKey |= doc == row.doc();
            if (doc != row.doc() && !deleted.contains(doc)) {
                findings.violation(name + "live document " + doc + " has the key as well");
            }
        }
        if (!underKey) {
            findings.violation(name + "is not found under the key");
        }
    }
}
