package io.loam.store.erase;

import io.loam.codec.key.PrimaryKey;
import io.loam.codec.lance.LanceFragment;
import io.loam.codec.lance.LanceManifest.Compactable;
import io.loam.codec.manifest.CollectionManifest;
import io.loam.codec.manifest.SplitRef;
import io.loam.store.CollectionHandle;
import io.loam.store.maintain.FinishedWork;
import io.loam.store.maintain.FinishedWork.Clean;
import io.loam.store.maintain.FinishedWork.CompactedFragments;
import io.loam.store.maintain.FinishedWork.MergedSplits;
import io.loam.store.maintain.MaintenanceTask;
import io.loam.store.maintain.MaintenanceTask.CompactFragments;
import io.loam.store.maintain.MaintenanceTask.MergeSplits;
import io.loam.store.read.DeletedDocs;
import io.loam.store.spi.Projection;
import io.loam.store.spi.RowCursor;
import io.loam.store.spi.RowSnapshot;
import io.loam.store.spi.SplitReader;
import io.loam.store.spi.StoredRow;

import org.roaringbitmap.RoaringBitmap;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.UUID;

/**
 * Finds which data files and splits of a version hold deleted documents of an erasure. What was
 * looked through once is not looked through again: files do not change, and what is deleted of them
 * later is none of the erasure's.
 *
 * <p>Data files are looked through key by key. A split is asked for each key; where keys are known
 * by their hashes only, every split that has deleted documents counts.
 */
final class PurgeScan {
    private final CollectionHandle handle;
    private final ErasedKeys keys;
    private final Set<io.loam.codec.Ulid> cleanSplits = new HashSet<>();
    private final Set<String> cleanFiles = new HashSet<>();

    PurgeScan(CollectionHandle handle, ErasedKeys keys) {
        this.handle = handle;
        this.keys = keys;
    }

    /** What has to be written anew; empty if the version is clean. */
    List<MaintenanceTask> tasks(CollectionManifest manifest) throws IOException {
        List<MaintenanceTask> tasks = new ArrayList<>();
        for (SplitRef split : manifest.splits()) {
            if (!cleanSplits.contains(split.ulid())) {
                if (isDirty(split)) {
                    tasks.add(new MergeSplits(List.of(split.ulid())));
                } else {
                    cleanSplits.add(split.ulid());
                }
            }
        }
        if (manifest.lanceVersion() == 0) {
            return tasks;
        }
        for (Compactable each : handle.rowVersions().read(manifest).compactable()) {
            LanceFragment fragment = each.fragment();
            if (!cleanFiles.containsAll(fragment.dataFiles())) {
                if (isDirty(fragment)) {
                    tasks.add(new CompactFragments(List.of(fragment.id())));
                } else {
                    cleanFiles.addAll(fragment.dataFiles());
                }
            }
        }
        return tasks;
    }

    /** What was built of live documents only, after the deletions. */
    void built(FinishedWork work) {
        if (work instanceof MergedSplits merged && merged.split() != null) {
            cleanSplits.add(merged.split().ulid());
        } else if (work instanceof CompactedFragments compacted) {
            compacted.added().forEach(added -> cleanFiles.add("data/" + added.dataFile()));
        }
    }

    Clean clean(Set<UUID> indexes) {
        return new Clean(cleanSplits, cleanFiles, indexes);
    }

    private boolean isDirty(SplitRef split) throws IOException {
        if (split.deletedCount() == split.placeholderCount()) {
            return false;
        }
        if (!keys.allKnown()) {
            return true;
        }
        RoaringBitmap deleted = DeletedDocs.load(handle.objects(), split);
        try (SplitReader reader = handle.splits().open(split, handle.schema(), null)) {
            for (PrimaryKey key : keys.known()) {
                for (int doc : reader.docsOfKey(key.canonical())) {
                    if (deleted.contains(doc)) {
                        return true;
                    }
                }
            }
        }
        return false;
    }

    private boolean isDirty(LanceFragment fragment) throws IOException {
        if (fragment.deletedRows() == 0) {
            return false;
        }
        if (fragment.dataFiles().size() != 1) {
            return true; // made by somebody else; written anew without a look
        }
        String file = fragment.dataFiles().get(0).substring("data/".length());
        try (RowSnapshot rows =
                        handle.rows().openFile(file, 0, fragment.physicalRows(), handle.schema());
                RowCursor cursor = rows.scan(Projection.KEYS, 0, 1)) {
            for (StoredRow row = cursor.next(); row != null; row = cursor.next()) {
                if (keys.holds(row.key().canonical())) {
                    return true;
                }
                if (Thread.currentThread().isInterrupted()) {
                    throw new InterruptedIOException("interrupted while looking through rows");
                }
            }
        }
        return false;
    }
}
