package io.loam.codec.lance;

import io.loam.codec.CorruptException;
import io.loam.codec.lance.RowIdSequence.Run;
import io.loam.codec.proto.LanceManifestProto.DataFragment;

import org.roaringbitmap.PeekableIntIterator;
import org.roaringbitmap.RoaringBitmap;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Whether fragments may stand in the place of others, and what of them is deleted. Their files were
 * written some versions ago; rows that were deleted since are there once more and must not come
 * back. So every row of a new fragment must be one of an old fragment, deleted or not; what is
 * deleted there is deleted here; and then as many rows must be live as before.
 */
final class FragmentReplacement {
    private final String path;
    private final Map<Long, List<Run>> oldRuns = new HashMap<>();
    private final Map<Long, RoaringBitmap> oldDeletions = new HashMap<>();
    private final Map<Long, List<Run>> freshRuns;
    private final LanceRowLocator fresh;
    private long oldLive;

    /**
     * @param freshRuns row ids of the new fragments by their ids
     */
    FragmentReplacement(String path, Map<Long, List<Run>> freshRuns) {
        this.path = path;
        this.freshRuns = freshRuns;
        LanceRowLocator.Builder builder = new LanceRowLocator.Builder();
        freshRuns.forEach(builder::add);
        this.fresh = builder.build(path);
    }

    /** A fragment that goes, and what is deleted of it. */
    void addOld(DataFragment fragment, List<Run> runs, RoaringBitmap deleted) {
        oldRuns.put(fragment.getId(), runs);
        oldDeletions.put(fragment.getId(), deleted);
        oldLive += fragment.getPhysicalRows() - deleted.getLongCardinality();
    }

    /**
     * Offsets of the rows of each new fragment that are deleted from the start.
     *
     * @throws CorruptException if a row is of none of the old fragments, or a live one is missing
     */
    Map<Long, RoaringBitmap> deletions() {
        requireOldRows();
        Map<Long, RoaringBitmap> deletions = new HashMap<>();
        oldRuns.forEach((id, runs) -> carry(runs, oldDeletions.get(id), deletions));
        long live =
                freshRuns.values().stream().flatMap(List::stream).mapToLong(Run::length).sum()
                        - deletions.values().stream()
                                .mapToLong(RoaringBitmap::getLongCardinality)
                                .sum();
        if (live != oldLive) {
            throw new CorruptException(
                    path
                            + ": fragments "
                            + oldRuns.keySet()
                            + " have "
                            + oldLive
                            + " live rows, the fragments in their place "
                            + live);
        }
        return deletions;
    }

    private void requireOldRows() {
        LanceRowLocator.Builder builder = new LanceRowLocator.Builder();
        oldRuns.forEach(builder::add);
        LanceRowLocator old = builder.build(path);
        for (Run run : freshRuns.values().stream().flatMap(List::stream).toList()) {
            Optional<Long> stranger = old.firstMissing(run.start(), run.length());
            if (stranger.isPresent()) {
                throw new CorruptException(
                        path
                                + ": row "
                                + Long.toUnsignedString(stranger.get())
                                + " is in none of the fragments "
                                + oldRuns.keySet()
                                + " that are to be replaced");
            }
        }
    }

    private void carry(List<Run> runs, RoaringBitmap deleted, Map<Long, RoaringBitmap> deletions) {
        int at = 0;
        PeekableIntIterator offsets = deleted.getIntIterator();
        while (offsets.hasNext()) {
            long offset = Integer.toUnsignedLong(offsets.next());
            while (offset >= runs.get(at).offset() + runs.get(at).length()) {
                at++;
            }
            long rowId = runs.get(at).start() + offset - runs.get(at).offset();
            fresh.locate(rowId)
                    .ifPresent(
                            row ->
                                    deletions
                                            .computeIfAbsent(
                                                    row.fragmentId(), id -> new RoaringBitmap())
                                            .add((int) row.offset()));
        }
    }
}
