package io.loam.bench.store;

import io.loam.codec.Ulid;
import io.loam.codec.key.PrimaryKey;
import io.loam.codec.lance.DataFileName;
import io.loam.codec.manifest.CollectionManifest;
import io.loam.codec.manifest.ManifestProperties;
import io.loam.codec.manifest.RowIdRange;
import io.loam.codec.manifest.SplitRef;
import io.loam.codec.staged.KeyChange;
import io.loam.codec.staged.KeyListCodec;
import io.loam.codec.staged.StagedUnit;
import io.loam.store.CollectionHandle;
import io.loam.store.commit.CollectionCommittable;
import io.loam.store.commit.CommitMode;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;

/**
 * Units of a collection as a committer sees them: descriptors, key lists, ranges of row ids. The
 * data files and splits they name do not exist; a commit reads neither. Key {@code i} of the first
 * units is row {@code i}, so that whoever knows a key knows its row.
 */
final class PlannedCollection {
    private static final long DATA_FILE_BYTES = 8 << 20;

    private final CollectionHandle handle;
    private final Ulid incarnation;
    private final long firstRow;
    private long nextRow;
    private long checkpoint;
    private String base;

    PlannedCollection(CollectionHandle handle) throws IOException {
        this.handle = handle;
        CollectionManifest live = handle.live().manifest();
        this.incarnation = handle.ulids().next();
        this.firstRow = 1;
        this.nextRow = Math.max(firstRow, live.rowIdHighWater());
        this.base = live.properties().getOrDefault(ManifestProperties.COMMIT_ID, "");
    }

    /** The row of a key that was never changed. */
    long rowOf(long key) {
        return firstRow + key;
    }

    /** The next rows, one for each of the keys from a first one on. */
    StagedUnit insert(long firstKey, int rows) throws IOException {
        List<KeyChange> changes = new ArrayList<>(rows);
        for (int i = 0; i < rows; i++) {
            changes.add(new KeyChange(PrimaryKey.ofU64(firstKey + i), null, nextRow + i));
        }
        return stage(changes, rows);
    }

    /** New rows for keys, given ascending with the rows they have. */
    StagedUnit replace(long[] keys) throws IOException {
        List<KeyChange> changes = new ArrayList<>(keys.length);
        for (int i = 0; i < keys.length; i++) {
            changes.add(new KeyChange(PrimaryKey.ofU64(keys[i]), rowOf(keys[i]), nextRow + i));
        }
        return stage(changes, keys.length);
    }

    /** Deletes what {@link #replace} has made, so that its fragment and split leave again. */
    StagedUnit delete(long[] keys, StagedUnit replaced) throws IOException {
        List<KeyChange> changes = new ArrayList<>(keys.length);
        for (int i = 0; i < keys.length; i++) {
            changes.add(new KeyChange(PrimaryKey.ofU64(keys[i]), replaced.firstRowId() + i, null));
        }
        return stage(changes, 0);
    }

    private StagedUnit stage(List<KeyChange> changes, int rows) throws IOException {
        Ulid unit = handle.ulids().next();
        byte[] keys = KeyListCodec.encode(changes);
        handle.objects().put(handle.paths().stagedKeys(unit), keys);
        long first = rows == 0 ? 0 : nextRow;
        nextRow += rows;
        return new StagedUnit(
                unit,
                unit.timeMs(),
                handle.schema().version(),
                0,
                first,
                rows,
                rows == 0 ? "" : DataFileName.of(unit, 0),
                rows == 0 ? 0 : DATA_FILE_BYTES,
                List.of(),
                rows == 0 ? null : split(first, rows),
                changes.size(),
                keys.length,
                0,
                0);
    }

    private SplitRef split(long first, int rows) {
        Ulid ulid = handle.ulids().next();
        return new SplitRef(
                ulid,
                rows,
                0,
                DATA_FILE_BYTES,
                DATA_FILE_BYTES - 4096,
                DATA_FILE_BYTES,
                List.of(new RowIdRange(first, first + rows)),
                "",
                handle.schema().version(),
                ulid.timeMs(),
                0,
                0);
    }

    CollectionCommittable committable(List<StagedUnit> units) {
        CollectionCommittable committable =
                new CollectionCommittable(
                        UUID.randomUUID().toString(),
                        base,
                        incarnation,
                        ++checkpoint,
                        CommitMode.DIRECT,
                        "bench",
                        "bench",
                        units.stream().mapToLong(StagedUnit::keyChanges).sum(),
                        units,
                        Map.of());
        base = committable.commitId();
        return committable;
    }
}
