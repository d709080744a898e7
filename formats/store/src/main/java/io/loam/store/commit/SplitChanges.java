package io.loam.store.commit;

import io.loam.codec.CorruptException;
import io.loam.codec.Ulid;
import io.loam.codec.manifest.Action;
import io.loam.codec.manifest.CollectionManifest;
import io.loam.codec.manifest.CollectionPaths;
import io.loam.codec.manifest.DeleteBitmap;
import io.loam.codec.manifest.DeleteBitmapCodec;
import io.loam.codec.manifest.RowLocator;
import io.loam.codec.manifest.SplitRef;
import io.loam.store.object.ObjectStore.Put;
import io.loam.store.read.DeletedDocs;

import org.roaringbitmap.RoaringBitmap;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * The splits after a commit. Each split that lost documents gets one new bitmap of all its
 * deletions, or leaves when none of its documents is live; new splits go to the end in row id
 * order.
 *
 * @param actions the same as steps from the parent's list
 * @param puts bitmaps to store before the manifest
 */
record SplitChanges(List<SplitRef> splits, List<Action> actions, List<Put> puts) {

    static SplitChanges of(
            CollectionManifest parent, long[] deletedRows, List<UnitRows> units, CommitIo io)
            throws IOException {
        Builder builder = new Builder(io);
        builder.touch(parent.splits(), deletedRows);
        for (UnitRows unit : units) {
            if (!unit.empty()) {
                builder.append(unit);
            }
        }
        return builder.build();
    }

    private static final class Builder {
        private final CommitIo io;
        private final CollectionPaths paths;
        private final List<SplitRef> splits = new ArrayList<>();
        private final List<Action> removed = new ArrayList<>();
        private final List<Action> updated = new ArrayList<>();
        private final List<Action> added = new ArrayList<>();
        private final List<Put> puts = new ArrayList<>();

        Builder(CommitIo io) {
            this.io = io;
            this.paths = io.paths();
        }

        void touch(List<SplitRef> parent, long[] deletedRows) throws IOException {
            Map<Integer, RoaringBitmap> losses = losses(parent, deletedRows);
            List<Integer> touched = List.copyOf(losses.keySet());
            List<RoaringBitmap> loaded =
                    io.reads()
                            .map(
                                    touched,
                                    index -> DeletedDocs.load(io.objects(), parent.get(index)));
            Map<Integer, RoaringBitmap> before = new HashMap<>();
            for (int i = 0; i < touched.size(); i++) {
                before.put(touched.get(i), loaded.get(i));
            }
            for (int i = 0; i < parent.size(); i++) {
                RoaringBitmap loss = losses.get(i);
                if (loss == null) {
                    splits.add(parent.get(i));
                } else {
                    lose(parent.get(i), before.get(i), loss);
                }
            }
            removed.sort(Comparator.comparing(action -> ((Action.RemoveSplit) action).ulid()));
            updated.sort(Comparator.comparing(action -> ((Action.UpdateSplit) action).ulid()));
        }

        private static Map<Integer, RoaringBitmap> losses(List<SplitRef> parent, long[] rows) {
            RowLocator locator = RowLocator.of(parent);
            Map<Integer, RoaringBitmap> losses = new TreeMap<>();
            for (long row : rows) {
                RowLocator.Place place =
                        locator.locate(row)
                                .orElseThrow(
                                        () ->
                                                new CorruptException(
                                                        "row "
                                                                + Long.toUnsignedString(row)
                                                                + " to delete is in no split"));
                losses.computeIfAbsent(place.split(), split -> new RoaringBitmap())
                        .add((int) place.doc());
            }
            return losses;
        }

        private void lose(SplitRef split, RoaringBitmap before, RoaringBitmap loss) {
            if (RoaringBitmap.intersects(before, loss)) {
                throw new CorruptException(
                        "document "
                                + RoaringBitmap.and(before, loss).first()
                                + " of split "
                                + split.ulid()
                                + " is deleted already");
            }
            RoaringBitmap all = RoaringBitmap.or(before, loss);
            if (all.getLongCardinality() == split.docCount()) {
                removed.add(new Action.RemoveSplit(split.ulid()));
                return;
            }
            SplitRef changed = withDeletes(split, all);
            updated.add(
                    new Action.UpdateSplit(
                            split.ulid(), changed.deletedCount(), changed.deleteBitmap()));
            splits.add(changed);
        }

        void append(UnitRows rows) {
            SplitRef split = rows.unit().split();
            SplitRef ref = rows.deleted().isEmpty() ? split : withDeletes(split, rows.deleted());
            added.add(new Action.AddSplit(ref, splits.size()));
            splits.add(ref);
        }

        private SplitRef withDeletes(SplitRef split, RoaringBitmap deleted) {
            Ulid ulid = io.ulids().get();
            String path = paths.deleteBitmap(split.ulid(), ulid);
            DeleteBitmap bitmap = new DeleteBitmap(split.ulid(), split.docCount(), deleted);
            puts.add(new Put(path, DeleteBitmapCodec.encode(bitmap)));
            return split.withDeletes(bitmap.cardinality(), path);
        }

        SplitChanges build() {
            List<Action> actions = new ArrayList<>(removed);
            actions.addAll(updated);
            actions.addAll(added);
            return new SplitChanges(splits, actions, puts);
        }
    }
}
