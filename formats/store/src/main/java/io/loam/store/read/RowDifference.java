package io.loam.store.read;

import io.loam.codec.Ulid;
import io.loam.codec.manifest.CollectionManifest;
import io.loam.codec.manifest.RowIdRange;
import io.loam.codec.manifest.RowLocator;
import io.loam.codec.manifest.SplitRef;
import io.loam.store.object.ObjectStore;

import org.roaringbitmap.RoaringBitmap;
import org.roaringbitmap.longlong.Roaring64Bitmap;

import java.io.IOException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The live rows of one version that another one does not have, and the other way round. Told from
 * splits and delete bitmaps: a row keeps its id when splits are merged or rows are moved, so that
 * maintenance makes no difference.
 */
record RowDifference(Roaring64Bitmap gone, Roaring64Bitmap added) {

    static RowDifference between(
            ObjectStore objects, CollectionManifest before, CollectionManifest after)
            throws IOException {
        Map<Ulid, SplitRef> known = new HashMap<>();
        before.splits().forEach(split -> known.put(split.ulid(), split));
        Roaring64Bitmap gone = new Roaring64Bitmap();
        Roaring64Bitmap added = new Roaring64Bitmap();
        for (SplitRef split : after.splits()) {
            SplitRef earlier = known.remove(split.ulid());
            if (earlier == null) {
                addLive(objects, split, added);
            } else if (!earlier.deleteBitmap().equals(split.deleteBitmap())) {
                RoaringBitmap then = DeletedDocs.load(objects, earlier);
                RoaringBitmap now = DeletedDocs.load(objects, split);
                addDocs(split, RoaringBitmap.andNot(now, then), gone);
                addDocs(split, RoaringBitmap.andNot(then, now), added);
            }
        }
        for (SplitRef split : known.values()) {
            addLive(objects, split, gone);
        }
        Roaring64Bitmap kept = gone.clone();
        kept.and(added);
        gone.andNot(kept);
        added.andNot(kept);
        return new RowDifference(gone, added);
    }

    private static void addLive(ObjectStore objects, SplitRef split, Roaring64Bitmap rows)
            throws IOException {
        for (RowIdRange range : split.ranges()) {
            rows.addRange(range.start(), range.end());
        }
        Roaring64Bitmap deleted = new Roaring64Bitmap();
        addDocs(split, DeletedDocs.load(objects, split), deleted);
        rows.andNot(deleted);
    }

    private static void addDocs(SplitRef split, RoaringBitmap docs, Roaring64Bitmap rows) {
        RowLocator locator = RowLocator.of(List.of(split));
        docs.forEach(
                (int doc) ->
                        rows.addLong(locator.rowId(0, Integer.toUnsignedLong(doc)).orElseThrow()));
    }
}
