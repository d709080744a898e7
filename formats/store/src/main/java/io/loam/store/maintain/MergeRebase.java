package io.loam.store.maintain;

import io.loam.codec.CorruptException;
import io.loam.codec.Ulid;
import io.loam.codec.manifest.Action;
import io.loam.codec.manifest.CollectionManifest;
import io.loam.codec.manifest.DeleteBitmap;
import io.loam.codec.manifest.DeleteBitmapCodec;
import io.loam.codec.manifest.RowLocator;
import io.loam.codec.manifest.SplitRef;
import io.loam.store.commit.CommitIo;
import io.loam.store.maintain.FinishedWork.MergedSplits;
import io.loam.store.object.ObjectStore.Put;
import io.loam.store.read.DeletedDocs;

import org.roaringbitmap.PeekableIntIterator;
import org.roaringbitmap.RoaringBitmap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.IOException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;

/**
 * Fits merged splits to a parent:
 *
 * <pre>
 * the merged split is there already    published before, and the answer was lost
 * an input is not there                abandoned
 * its object is gone, or it is old     abandoned
 * documents deleted since the build    become the merged split's bitmap
 * all of them                          the inputs are removed, and nothing is added
 * live documents of inputs and merged
 *   split differ, a bitmap is damaged  abandoned
 * </pre>
 *
 * The merged split stands where the first of its inputs stood.
 */
final class MergeRebase implements WorkPlanner<MergedSplits> {
    private static final Logger LOG = LoggerFactory.getLogger(MergeRebase.class);

    private final CommitIo io;
    private final long longestMs;

    /**
     * @param longestMs age at which work is abandoned
     */
    MergeRebase(CommitIo io, long longestMs) {
        this.io = io;
        this.longestMs = longestMs;
    }

    @Override
    public List<WorkPlan> plan(List<MergedSplits> works, CollectionManifest parent, long startedMs)
            throws IOException {
        List<SplitRef> splits = new ArrayList<>(parent.splits());
        List<WorkPlan> plans = new ArrayList<>();
        for (MergedSplits work : works) {
            plans.add(planOrAbandon(work, splits, startedMs));
        }
        return plans;
    }

    /** A damaged bitmap must not keep other merges from being published. */
    private WorkPlan planOrAbandon(MergedSplits work, List<SplitRef> splits, long startedMs)
            throws IOException {
        try {
            return plan(work, splits, startedMs);
        } catch (CorruptException e) {
            LOG.warn("the merge of splits {} is abandoned", work.inputs(), e);
            return new WorkPlan.Abandoned(e.getMessage());
        }
    }

    private WorkPlan plan(MergedSplits work, List<SplitRef> splits, long startedMs)
            throws IOException {
        SplitRef merged = work.split();
        if (merged != null && position(splits, merged.ulid()) >= 0) {
            return new WorkPlan.AlreadyPublished("merged into " + merged.ulid() + " before");
        }
        List<SplitRef> inputs =
                splits.stream().filter(split -> work.inputs().contains(split.ulid())).toList();
        if (inputs.size() < work.inputs().size()) {
            return new WorkPlan.Abandoned(
                    "split " + missing(work, inputs) + " was merged or removed meanwhile");
        }
        if (startedMs - work.createdAtMs() > longestMs) {
            return WorkPlan.Abandoned.tooOld(work, startedMs, longestMs);
        }
        if (merged != null && !io.has(io.paths().split(merged.ulid()), merged.sizeBytes())) {
            return new WorkPlan.Abandoned(
                    io.paths().split(merged.ulid()) + " is gone, or not the split that was built");
        }
        return replace(work, inputs, splits, startedMs);
    }

    private static int position(List<SplitRef> splits, Ulid ulid) {
        for (int i = 0; i < splits.size(); i++) {
            if (splits.get(i).ulid().equals(ulid)) {
                return i;
            }
        }
        return -1;
    }

    private static Ulid missing(MergedSplits work, List<SplitRef> inputs) {
        Set<Ulid> missing = new HashSet<>(work.inputs());
        inputs.forEach(input -> missing.remove(input.ulid()));
        return missing.iterator().next();
    }

    private WorkPlan replace(
            MergedSplits work, List<SplitRef> inputs, List<SplitRef> splits, long startedMs)
            throws IOException {
        SplitRef merged = work.split();
        long live = inputs.stream().mapToLong(SplitRef::liveCount).sum();
        RoaringBitmap deleted = merged == null ? new RoaringBitmap() : deleted(inputs, merged);
        long kept = merged == null ? 0 : merged.docCount() - deleted.getLongCardinality();
        if (kept != live) {
            throw new CorruptException(
                    "splits "
                            + inputs.stream().map(SplitRef::ulid).toList()
                            + " have "
                            + live
                            + " live documents, but "
                            + kept
                            + " are live in the split merged of them");
        }
        int position = splits.indexOf(inputs.get(0));
        List<Action> actions = new ArrayList<>();
        List<Put> objects = new ArrayList<>();
        inputs.forEach(input -> actions.add(new Action.RemoveSplit(input.ulid())));
        splits.removeAll(inputs);
        String into = "nothing";
        if (live > 0) {
            SplitRef added = added(inputs, merged, deleted, objects, startedMs);
            actions.add(new Action.AddSplit(added, position));
            splits.add(position, added);
            into = added.ulid() + " of " + sizes(List.of(added));
        }
        return new WorkPlan.Change(
                (inputs.size() == 1 ? "purge split of " : "merge " + inputs.size() + " splits of ")
                        + sizes(inputs)
                        + " into "
                        + into
                        + (work.joined() ? ", segments joined" : ""),
                actions,
                objects,
                Map.of());
    }

    private static String sizes(List<SplitRef> splits) {
        return splits.stream().mapToLong(SplitRef::docCount).sum()
                + " documents ("
                + splits.stream().mapToLong(SplitRef::deletedCount).sum()
                + " deleted), "
                + splits.stream().mapToLong(SplitRef::sizeBytes).sum()
                + " bytes";
    }

    /** Documents of the merged split that are deleted of its inputs by now. */
    private RoaringBitmap deleted(List<SplitRef> inputs, SplitRef merged) throws IOException {
        List<RoaringBitmap> gone =
                io.reads().map(inputs, input -> DeletedDocs.load(io.objects(), input));
        RowLocator from = RowLocator.of(inputs);
        RowLocator to = RowLocator.of(List.of(merged));
        RoaringBitmap deleted = new RoaringBitmap();
        for (int input = 0; input < inputs.size(); input++) {
            PeekableIntIterator docs = gone.get(input).getIntIterator();
            while (docs.hasNext()) {
                OptionalLong row = from.rowId(input, Integer.toUnsignedLong(docs.next()));
                // What was deleted before the build has no document, or a placeholder.
                to.locate(row.orElseThrow()).ifPresent(place -> deleted.add((int) place.doc()));
            }
        }
        return deleted;
    }

    private SplitRef added(
            List<SplitRef> inputs,
            SplitRef merged,
            RoaringBitmap deleted,
            List<Put> objects,
            long startedMs) {
        SplitRef added =
                new SplitRef(
                        merged.ulid(),
                        merged.docCount(),
                        0,
                        merged.sizeBytes(),
                        merged.footerStart(),
                        merged.footerEnd(),
                        merged.ranges(),
                        "",
                        merged.schemaVersion(),
                        startedMs,
                        1 + inputs.stream().mapToInt(SplitRef::mergeOps).max().orElseThrow(),
                        merged.footerCrc32c(),
                        merged.placeholderCount());
        if (deleted.isEmpty()) {
            return added;
        }
        String path = io.paths().deleteBitmap(merged.ulid(), io.ulids().get());
        DeleteBitmap bitmap = new DeleteBitmap(merged.ulid(), merged.docCount(), deleted);
        objects.add(new Put(path, DeleteBitmapCodec.encode(bitmap)));
        return added.withDeletes(bitmap.cardinality(), path);
    }
}
