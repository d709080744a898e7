package io.loam.codec.lance;

import io.loam.codec.CorruptException;
import io.loam.codec.Crc32c;
import io.loam.codec.proto.LanceManifestProto.DataFile;
import io.loam.codec.proto.LanceManifestProto.DataFragment;
import io.loam.codec.proto.LanceManifestProto.DeletionFile;
import io.loam.codec.proto.LanceManifestProto.Manifest;
import io.loam.codec.proto.LanceManifestProto.Timestamp;
import io.loam.codec.staged.UnitColumn;

import com.google.protobuf.ByteString;
import org.roaringbitmap.RoaringBitmap;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.UUID;
import java.util.function.Function;

/**
 * Builds the next version of a manifest: replaces fragments by others with the same rows, adds
 * fragments with explicit row ids, then deletes rows, rows just added included, then finishes. Not
 * thread-safe.
 */
public final class LanceManifestEdit {
    private static final int FILE_MAJOR = 2;
    private static final int FILE_MINOR = 1;
    private static final long FIRST_FRAGMENT = 1;
    private static final long MAX_FRAGMENT = 0xffffffffL;

    /** A deletion file to put: path under the dataset root. */
    public record DeletionPut(String path, byte[] bytes) {}

    /** A fragment whose deletions grew; the message is Lance's DeletionFile. */
    public record UpdatedFragment(long id, byte[] deletionFile) {}

    /**
     * The next version.
     *
     * @param addedFragments Lance DataFragment messages, as they stand in the manifest
     * @param removedFragments ids of the parent's fragments that have no live row left, or were
     *     replaced
     */
    public record Edited(
            byte[] manifest,
            List<DeletionPut> deletionFiles,
            List<byte[]> addedFragments,
            List<UpdatedFragment> updatedFragments,
            List<Long> removedFragments) {}

    private final LanceManifest parent;
    private final Manifest.Builder next;
    private final long newVersion;
    private final Function<String, byte[]> loader;
    private final LanceColumns columns;
    private final Map<Long, DataFragment> added = new LinkedHashMap<>();
    private final Map<Long, List<RowIdSequence.Run>> addedRuns = new LinkedHashMap<>();
    private final Map<Long, RoaringBitmap> deletions = new TreeMap<>(Long::compareUnsigned);
    private final Set<Long> replaced = new LinkedHashSet<>();
    private LanceIndexes indexes;
    private long nextFragment;

    LanceManifestEdit(
            LanceManifest parent,
            Manifest message,
            long newVersion,
            Function<String, byte[]> loader) {
        if (newVersion >= 0) {
            throw new IllegalArgumentException(
                    "a detached version has the top bit set, " + newVersion + " has not");
        }
        this.parent = parent;
        this.next = message.toBuilder();
        this.newVersion = newVersion;
        this.loader = loader;
        this.columns = new LanceColumns(next, parent.path());
        this.indexes = parent.indexes();
        this.nextFragment = Math.max(largestFragment(message) + 1, FIRST_FRAGMENT);
    }

    /** Fragments with ids of a compaction's own may lie above the maximum the manifest names. */
    private long largestFragment(Manifest message) {
        long largest = parent.maxFragmentId();
        for (DataFragment fragment : message.getFragmentsList()) {
            long id = fragment.getId();
            if (Long.compareUnsigned(id, MAX_FRAGMENT) > 0) {
                throw new CorruptException(
                        parent.path() + ": fragment id " + Long.toUnsignedString(id));
            }
            largest = Math.max(largest, id);
        }
        return largest;
    }

    /** Appends vector columns the schema lacks. */
    public LanceManifestEdit ensureColumns(List<UnitColumn> wanted) {
        columns.ensure(wanted);
        return this;
    }

    /**
     * Adds a fragment of one data file, whose rows have ids {@code firstRowId} and following.
     *
     * @param dataFile name under {@code data/}
     * @param unitColumns vector columns of the file after the base columns; in the schema already
     * @throws CorruptException if a row has one of the ids already
     */
    public LanceManifestEdit addFragment(
            String dataFile, long bytes, List<UnitColumn> unitColumns, long firstRowId, long rows) {
        requireFree(firstRowId, rows);
        add(
                dataFile,
                bytes,
                unitColumns,
                rows,
                DataFragment.newBuilder().setInlineRowIds(RowIdSequence.range(firstRowId, rows)),
                List.of(new RowIdSequence.Run(firstRowId, rows, 0)));
        return this;
    }

    private long add(
            String dataFile,
            long bytes,
            List<UnitColumn> unitColumns,
            long rows,
            DataFragment.Builder fragment,
            List<RowIdSequence.Run> runs) {
        List<Integer> leaves = columns.leaves(unitColumns);
        DataFile.Builder file =
                DataFile.newBuilder()
                        .setPath(dataFile)
                        .addAllFields(leaves)
                        .setFileMajorVersion(FILE_MAJOR)
                        .setFileMinorVersion(FILE_MINOR)
                        .setFileSizeBytes(bytes);
        for (int i = 0; i < leaves.size(); i++) {
            file.addColumnIndices(i);
        }
        long id = nextFragment++;
        added.put(id, fragment.setId(id).addFiles(file).setPhysicalRows(rows).build());
        addedRuns.put(id, runs);
        return id;
    }

    /**
     * Puts data files in the place of fragments. Rows keep their ids; those that were deleted of
     * the fragments are deleted of the files, too, and a file without a live row becomes none.
     *
     * @param fragmentIds at least one, each there; deletion files are loaded
     * @param files that hold every live row of the fragments, and none that was never in them
     * @throws CorruptException otherwise, and if an index covers some of the fragments only
     */
    public LanceManifestEdit replaceFragments(List<Long> fragmentIds, List<CompactedFile> files) {
        Map<Long, List<RowIdSequence.Run>> runs = new LinkedHashMap<>();
        for (CompactedFile file : files) {
            List<RowIdSequence.Run> ofFile =
                    RowIdSequence.decode(
                            ByteString.copyFrom(file.rowIds()), file.rows(), file.dataFile());
            long id =
                    add(
                            file.dataFile(),
                            file.bytes(),
                            file.columns(),
                            file.rows(),
                            file.withRowIds(),
                            ofFile);
            runs.put(id, ofFile);
        }
        FragmentReplacement replacement = new FragmentReplacement(parent.path(), runs);
        Set<Long> gone = new LinkedHashSet<>(fragmentIds);
        List<DataFragment> kept = new ArrayList<>();
        for (DataFragment fragment : next.getFragmentsList()) {
            if (gone.contains(fragment.getId())) {
                replacement.addOld(fragment, parent.runs(fragment), present(fragment.getId()));
                replaced.add(fragment.getId());
            } else {
                kept.add(fragment);
            }
        }
        if (!replaced.containsAll(gone)) {
            throw new CorruptException(
                    parent.path() + ": not all of the fragments " + gone + " are there");
        }
        Map<Long, RoaringBitmap> dead = replacement.deletions();
        deletions.putAll(dead);
        next.clearFragments().addAllFragments(kept);
        indexes = indexes.replace(gone, runs.keySet().stream().filter(this::isLive).toList());
        return this;
    }

    /**
     * Adds a segment of an index.
     *
     * @param segment as {@link NewIndexSegment#encode} writes it
     * @throws CorruptException if there is one of its id
     */
    public LanceManifestEdit addIndex(byte[] segment) {
        indexes = indexes.add(segment);
        return this;
    }

    /**
     * Takes segments away.
     *
     * @throws CorruptException if one is not there
     */
    public LanceManifestEdit removeIndexes(Set<UUID> segments) {
        indexes = indexes.remove(segments);
        return this;
    }

    /** Whether a fragment just added has a live row. */
    private boolean isLive(long fragmentId) {
        RoaringBitmap dead = deletions.get(fragmentId);
        return dead == null || dead.getLongCardinality() < added.get(fragmentId).getPhysicalRows();
    }

    private void requireFree(long firstRowId, long rows) {
        LanceRowLocator.Builder fresh = new LanceRowLocator.Builder();
        addedRuns.forEach(fresh::add);
        if (parent.locator().holdsAnyOf(firstRowId, rows)
                || fresh.build(parent.path()).holdsAnyOf(firstRowId, rows)) {
            throw new CorruptException(
                    parent.path()
                            + ": a new fragment's rows "
                            + Long.toUnsignedString(firstRowId)
                            + " and "
                            + (rows - 1)
                            + " more have ids that are taken");
        }
    }

    /**
     * Deletes rows by id.
     *
     * @throws CorruptException if a row is unknown or deleted already
     */
    public LanceManifestEdit delete(long[] rowIds) {
        LanceRowLocator.Builder fresh = new LanceRowLocator.Builder();
        addedRuns.forEach(fresh::add);
        LanceRowLocator born = fresh.build(parent.path());
        for (long rowId : rowIds) {
            RowAddress address =
                    born.locate(rowId)
                            .or(() -> parent.locator().locate(rowId))
                            .orElseThrow(
                                    () ->
                                            new CorruptException(
                                                    parent.path()
                                                            + ": no row has the id "
                                                            + Long.toUnsignedString(rowId)));
            RoaringBitmap deleted = deletions.computeIfAbsent(address.fragmentId(), this::present);
            if (replaced.contains(address.fragmentId())
                    || !deleted.checkedAdd((int) address.offset())) {
                throw new CorruptException(
                        parent.path()
                                + ": row "
                                + Long.toUnsignedString(rowId)
                                + " is deleted already");
            }
        }
        return this;
    }

    private RoaringBitmap present(long fragmentId) {
        for (DataFragment fragment : next.getFragmentsList()) {
            if (fragment.getId() != fragmentId || !fragment.hasDeletionFile()) {
                continue;
            }
            DeletionFile file = fragment.getDeletionFile();
            String path = LanceManifest.deletionPath(fragmentId, file);
            String object = parent.datasetRoot() + path;
            if (file.getFileType() != LanceDeletions.ROARING) {
                throw new CorruptException(
                        object
                                + ": only Roaring deletion files can be extended, compact the fragment");
            }
            return LanceDeletions.decode(
                    loader.apply(path), file, fragment.getPhysicalRows(), object);
        }
        return new RoaringBitmap();
    }

    /**
     * Finishes the version.
     *
     * @param nextRowId above every row id; the parent's is kept if it is greater
     */
    public Edited finish(long nextRowId, long createdAtMs) {
        List<DeletionPut> puts = new ArrayList<>();
        List<UpdatedFragment> updated = new ArrayList<>();
        List<Long> removed = new ArrayList<>(replaced);
        List<byte[]> fresh = new ArrayList<>();
        List<DataFragment> fragments = new ArrayList<>();
        for (DataFragment fragment : next.getFragmentsList()) {
            DataFragment changed = withDeletions(fragment, puts);
            if (changed == null) {
                removed.add(fragment.getId());
                continue;
            }
            fragments.add(changed);
            if (changed != fragment) {
                updated.add(
                        new UpdatedFragment(
                                changed.getId(), changed.getDeletionFile().toByteArray()));
            }
        }
        for (DataFragment fragment : added.values()) {
            DataFragment changed = withDeletions(fragment, puts);
            if (changed != null) {
                fragments.add(changed);
                fresh.add(changed.toByteArray());
            }
        }
        next.clearFragments().addAllFragments(fragments);
        next.setVersion(newVersion);
        if (Long.compareUnsigned(nextRowId, next.getNextRowId()) > 0) {
            next.setNextRowId(nextRowId);
        }
        next.setTimestamp(
                Timestamp.newBuilder()
                        .setSeconds(Math.floorDiv(createdAtMs, 1000L))
                        .setNanos((int) Math.floorMod(createdAtMs, 1000L) * 1_000_000));
        if (!added.isEmpty()) {
            next.setMaxFragmentId((int) (nextFragment - 1));
        }
        flagDeletions(fragments);
        return new Edited(parent.write(next, indexes), puts, fresh, updated, removed);
    }

    private void flagDeletions(List<DataFragment> fragments) {
        if (fragments.stream().anyMatch(DataFragment::hasDeletionFile)) {
            long flag = LanceManifestFile.FLAG_DELETION_FILES;
            next.setReaderFeatureFlags(next.getReaderFeatureFlags() | flag);
            next.setWriterFeatureFlags(next.getWriterFeatureFlags() | flag);
        }
    }

    /**
     * The fragment with its new deletion file, itself if nothing changed, null if no row is left.
     */
    private DataFragment withDeletions(DataFragment fragment, List<DeletionPut> puts) {
        RoaringBitmap deleted = deletions.get(fragment.getId());
        if (deleted == null) {
            return fragment;
        }
        if (deleted.getLongCardinality() == fragment.getPhysicalRows()) {
            return null;
        }
        byte[] bytes = LanceDeletions.encode(deleted);
        DeletionFile file =
                DeletionFile.newBuilder()
                        .setFileType(LanceDeletions.ROARING)
                        .setReadVersion(parent.version())
                        .setId(newVersion)
                        .setNumDeletedRows(deleted.getLongCardinality())
                        .setCrc32C(Crc32c.of(bytes))
                        .build();
        puts.add(new DeletionPut(LanceManifest.deletionPath(fragment.getId(), file), bytes));
        return fragment.toBuilder().setDeletionFile(file).build();
    }
}
