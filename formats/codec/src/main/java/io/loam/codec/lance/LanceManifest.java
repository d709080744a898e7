package io.loam.codec.lance;

import io.loam.codec.CorruptException;
import io.loam.codec.manifest.RowIdRange;
import io.loam.codec.proto.LanceManifestProto.DataFile;
import io.loam.codec.proto.LanceManifestProto.DataFragment;
import io.loam.codec.proto.LanceManifestProto.DeletionFile;
import io.loam.codec.proto.LanceManifestProto.Field;
import io.loam.codec.proto.LanceManifestProto.Manifest;

import javax.annotation.Nullable;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.UUID;
import java.util.function.Function;

/**
 * A version of a Lance dataset as its manifest tells of it, parsed without Lance. Unknown fields
 * are kept. What Loam could not handle right is refused: unknown feature flags, other base paths,
 * versions in files of their own.
 */
public final class LanceManifest {
    private final String path;
    private final LanceManifestFile file;
    private final Manifest message;
    private final FragmentRowIds rowIds;
    @Nullable private final LanceRowLocator locator;

    private LanceManifest(
            String path, LanceManifestFile file, Function<String, byte[]> files, boolean loads) {
        this.path = path;
        this.file = file;
        this.message = file.message();
        this.rowIds = new FragmentRowIds(path, datasetRoot(), files);
        boolean loaded = loads || rowIdFiles().isEmpty();
        this.locator = loaded ? locator(rowIds) : null;
    }

    private LanceRowLocator locator(FragmentRowIds ids) {
        LanceRowLocator.Builder rows = new LanceRowLocator.Builder();
        message.getFragmentsList()
                .forEach(fragment -> rows.addSegments(fragment.getId(), ids.segments(fragment)));
        return rows.build(path);
    }

    /**
     * Parses a whole manifest file.
     *
     * @param path names the file in messages
     * @throws CorruptException if it is not one, or uses what this class refuses
     */
    public static LanceManifest parse(byte[] file, String path) {
        return new LanceManifest(path, LanceManifestFile.read(file, path), name -> null, false);
    }

    public String path() {
        return path;
    }

    /** Object path of the dataset, with a slash; empty if this manifest's path does not tell. */
    String datasetRoot() {
        int versions = path.lastIndexOf("_versions/");
        return versions < 0 ? "" : path.substring(0, versions);
    }

    /** Unsigned; detached versions have the top bit set. */
    public long version() {
        return message.getVersion();
    }

    public long nextRowId() {
        return message.getNextRowId();
    }

    /** The largest fragment id ever used, -1 if there was none. */
    public long maxFragmentId() {
        return message.hasMaxFragmentId() ? message.getMaxFragmentId() & 0xffffffffL : -1;
    }

    public List<LanceFragment> fragments() {
        List<LanceFragment> fragments = new ArrayList<>(message.getFragmentsCount());
        for (DataFragment fragment : message.getFragmentsList()) {
            List<String> files =
                    fragment.getFilesList().stream().map(file -> "data/" + file.getPath()).toList();
            fragments.add(
                    new LanceFragment(
                            fragment.getId(),
                            fragment.getPhysicalRows(),
                            fragment.getDeletionFile().getNumDeletedRows(),
                            files,
                            fragment.hasDeletionFile()
                                    ? deletionPath(fragment.getId(), fragment.getDeletionFile())
                                    : null));
        }
        return fragments;
    }

    /**
     * Every file this version needs, under the dataset root, without the manifest itself. A path
     * that ends with a slash stands for all below it.
     */
    public SortedSet<String> files() {
        SortedSet<String> files = new TreeSet<>();
        for (LanceFragment fragment : fragments()) {
            files.addAll(fragment.dataFiles());
            if (fragment.deletionFile() != null) {
                files.add(fragment.deletionFile());
            }
        }
        if (!message.getTransactionFile().isEmpty()) {
            files.add("_transactions/" + message.getTransactionFile());
        }
        files.addAll(rowIdFiles());
        indexIds().forEach(id -> files.add("_indices/" + id + "/"));
        return files;
    }

    /** Paths of the data files under the dataset root, and their bytes; 0 if not known. */
    public Map<String, Long> dataFileSizes() {
        Map<String, Long> sizes = new TreeMap<>();
        for (DataFragment fragment : message.getFragmentsList()) {
            for (DataFile file : fragment.getFilesList()) {
                sizes.put("data/" + file.getPath(), file.getFileSizeBytes());
            }
        }
        return sizes;
    }

    /** Path of a deletion file under the dataset root. */
    static String deletionPath(long fragmentId, DeletionFile file) {
        return "_deletions/"
                + Long.toUnsignedString(fragmentId)
                + "-"
                + Long.toUnsignedString(file.getReadVersion())
                + "-"
                + Long.toUnsignedString(file.getId())
                + (file.getFileType() == LanceDeletions.ROARING ? ".bin" : ".arrow");
    }

    /**
     * Checks the deletion file of a fragment against what the manifest says of it: its checksum, if
     * there is one, the number of deleted rows, and that they exist. Files in Arrow's format, which
     * only Lance writes, are not checked.
     *
     * @param fragment one of this version's that has a deletion file
     * @throws CorruptException naming the file if it is another
     */
    public void checkDeletionFile(LanceFragment fragment, byte[] bytes) {
        DeletionFile deletions = message(fragment.id()).getDeletionFile();
        if (deletions.getFileType() == LanceDeletions.ROARING) {
            LanceDeletions.decode(
                    bytes,
                    deletions,
                    fragment.physicalRows(),
                    datasetRoot() + fragment.deletionFile());
        }
    }

    private DataFragment message(long fragmentId) {
        for (DataFragment fragment : message.getFragmentsList()) {
            if (fragment.getId() == fragmentId) {
                return fragment;
            }
        }
        throw new CorruptException(
                path + ": there is no fragment " + Long.toUnsignedString(fragmentId));
    }

    /** Names of the columns, in schema order. */
    public List<String> columns() {
        return message.getFieldsList().stream()
                .filter(field -> field.getParentId() == LanceColumns.TOP)
                .map(Field::getName)
                .toList();
    }

    /** The fragments' own messages, in the order of {@link #fragments}. */
    public List<byte[]> fragmentMessages() {
        return message.getFragmentsList().stream().map(DataFragment::toByteArray).toList();
    }

    /** Format of the data files, such as {@code 2.1}; empty if there are none. */
    public Optional<String> storageFormat() {
        return message.getFragmentsList().stream()
                .flatMap(fragment -> fragment.getFilesList().stream())
                .map(file -> file.getFileMajorVersion() + "." + file.getFileMinorVersion())
                .findFirst();
    }

    /** The Manifest message itself, for Lance to open without reading the file again. */
    public byte[] toMessage() {
        return message.toByteArray();
    }

    public long countLive() {
        return fragments().stream().mapToLong(LanceFragment::liveRows).sum();
    }

    /** Files at the root of the dataset that hold the row ids of fragments. */
    public List<String> rowIdFiles() {
        return message.getFragmentsList().stream()
                .filter(FragmentRowIds::hasFile)
                .map(fragment -> FragmentRowIds.file(fragment, path).getPath())
                .distinct()
                .toList();
    }

    /**
     * The same with the row ids that are in files, which whatever asks for rows by their ids needs.
     *
     * @param files gives the bytes of a file by its name
     * @throws CorruptException if they are not the row ids of the fragments
     */
    public LanceManifest withRowIds(Function<String, byte[]> files) {
        return new LanceManifest(path, file, files, true);
    }

    /**
     * Finds rows, deleted ones included.
     *
     * @throws IllegalStateException if row ids are in files, and {@link #withRowIds} was not asked
     */
    public LanceRowLocator locator() {
        if (locator == null) {
            throw new IllegalStateException(
                    path + ": the row ids in " + rowIdFiles() + " are not loaded");
        }
        return locator;
    }

    /** The row ids of one of the fragments. */
    List<RowIdSequence.Run> runs(DataFragment fragment) {
        return rowIds.runs(fragment);
    }

    /** Ids of the index segments, in file order. */
    public List<UUID> indexIds() {
        return indexes().ids();
    }

    /** The index segments, in file order. */
    public List<LanceIndexSegment> indexSegments() {
        return indexes().segments();
    }

    /** The index segments and what they cover. */
    LanceIndexes indexes() {
        return LanceIndexes.parse(file.indexSection(), path);
    }

    /**
     * Row ids of a fragment's rows in their order, deleted ones included.
     *
     * @throws CorruptException if there is no such fragment
     */
    public List<RowIdRange> rowIds(long fragmentId) {
        return runs(message(fragmentId)).stream()
                .map(run -> new RowIdRange(run.start(), run.start() + run.length()))
                .toList();
    }

    /**
     * What a compaction is planned by.
     *
     * @param firstRowId smallest row id
     * @param indexes the index segments that cover the fragment
     */
    public record Compactable(LanceFragment fragment, long firstRowId, Set<UUID> indexes) {
        public Compactable {
            indexes = Set.copyOf(indexes);
        }
    }

    /** The fragments in the order of their smallest row ids. */
    public List<Compactable> compactable() {
        Map<Long, Long> first = locator().firstRowIds();
        LanceIndexes indexes = indexes();
        return fragments().stream()
                .filter(fragment -> first.containsKey(fragment.id()))
                .map(f -> new Compactable(f, first.get(f.id()), indexes.covering(f.id())))
                .sorted(Comparator.comparing(Compactable::firstRowId, Long::compareUnsigned))
                .toList();
    }

    /**
     * Starts the next version.
     *
     * @param newVersion id of the next version, random with the top bit set
     * @param deletionFiles gives the bytes of a deletion file by its path under the dataset root
     */
    public LanceManifestEdit edit(long newVersion, Function<String, byte[]> deletionFiles) {
        return new LanceManifestEdit(this, message, newVersion, deletionFiles);
    }

    /** A manifest file of this one's format. */
    byte[] write(Manifest.Builder next, LanceIndexes indexes) {
        return file.write(next, indexes);
    }
}
