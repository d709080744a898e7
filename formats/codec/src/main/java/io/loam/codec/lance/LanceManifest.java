package io.loam.codec.lance;

import io.loam.codec.CorruptException;
import io.loam.codec.manifest.RowIdRange;
import io.loam.codec.proto.LanceManifestProto.DataFile;
import io.loam.codec.proto.LanceManifestProto.DataFragment;
import io.loam.codec.proto.LanceManifestProto.DeletionFile;
import io.loam.codec.proto.LanceManifestProto.Field;
import io.loam.codec.proto.LanceManifestProto.IndexSection;
import io.loam.codec.proto.LanceManifestProto.Manifest;

import com.google.protobuf.ByteString;
import com.google.protobuf.InvalidProtocolBufferException;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
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
 * A Lance manifest file, parsed without Lance:
 *
 * <pre>
 * sections | u32 LE length | Manifest protobuf | u64 LE position of that length
 *          | u16 LE major | u16 LE minor | "LANC"
 * section  = u32 LE length | protobuf          (index section, transaction section)
 * </pre>
 *
 * Unknown fields are kept. What Loam could not handle right is refused: unknown feature flags,
 * other base paths, row ids or versions in files of their own.
 */
public final class LanceManifest {
    static final long FLAG_DELETION_FILES = 1;
    static final long FLAG_STABLE_ROW_IDS = 2;

    /** Deletion files, stable row ids, table config, no transaction file. */
    private static final long KNOWN_FLAGS = FLAG_DELETION_FILES | FLAG_STABLE_ROW_IDS | 8 | 32;

    private static final int FOOTER = 16;
    private static final int MAGIC = 0x434e414c;
    private static final int FRAME = 4;

    private final String path;
    private final Manifest message;
    private final byte[] indexSection;
    private final int format;
    private final LanceRowLocator locator;

    private LanceManifest(String path, Manifest message, byte[] indexSection, int format) {
        this.path = path;
        this.message = message;
        this.indexSection = indexSection;
        this.format = format;
        LanceColumns.check(message, path);
        LanceRowLocator.Builder rows = new LanceRowLocator.Builder();
        Set<Long> ids = new HashSet<>();
        for (DataFragment fragment : message.getFragmentsList()) {
            checkFragment(fragment);
            if (!ids.add(fragment.getId())) {
                throw new CorruptException(
                        path
                                + ": two fragments have the id "
                                + Long.toUnsignedString(fragment.getId()));
            }
            rows.add(
                    fragment.getId(),
                    RowIdSequence.decode(
                            fragment.getInlineRowIds(),
                            fragment.getPhysicalRows(),
                            path + ": fragment " + Long.toUnsignedString(fragment.getId())));
        }
        this.locator = rows.build(path);
    }

    /**
     * Parses a whole manifest file.
     *
     * @param path names the file in messages
     * @throws CorruptException if it is not one, or uses what this class refuses
     */
    public static LanceManifest parse(byte[] file, String path) {
        if (file.length < FOOTER + FRAME) {
            throw new CorruptException(
                    path + ": a Lance manifest has more than " + file.length + " bytes");
        }
        ByteBuffer in = ByteBuffer.wrap(file).order(ByteOrder.LITTLE_ENDIAN);
        int footer = file.length - FOOTER;
        if (in.getInt(footer + 12) != MAGIC) {
            throw new CorruptException(path + ": does not end in LANC");
        }
        try {
            Manifest message = Manifest.parseFrom(section(in, in.getLong(footer), footer, path));
            checkFeatures(message, path);
            byte[] index =
                    message.hasIndexSection()
                            ? section(in, message.getIndexSection(), footer, path).toByteArray()
                            : null;
            if (index != null) {
                IndexSection.parseFrom(index);
            }
            if (message.hasTransactionSection()) {
                section(in, message.getTransactionSection(), footer, path);
            }
            return new LanceManifest(path, message, index, in.getInt(footer + 8));
        } catch (InvalidProtocolBufferException e) {
            throw new CorruptException(path + ": no Lance manifest: " + e.getMessage(), e);
        }
    }

    private static ByteString section(ByteBuffer in, long position, int end, String path) {
        if (position < 0 || position > end - FRAME) {
            throw new CorruptException(
                    path
                            + ": a section at "
                            + Long.toUnsignedString(position)
                            + " in a file of "
                            + in.capacity()
                            + " bytes");
        }
        int from = (int) position + FRAME;
        int length = in.getInt((int) position);
        if (length < 0 || length > end - from) {
            throw new CorruptException(
                    path
                            + ": a section of "
                            + Integer.toUnsignedString(length)
                            + " bytes does not fit");
        }
        return ByteString.copyFrom(in.array(), from, length);
    }

    private static void checkFeatures(Manifest message, String path) {
        long flags = message.getReaderFeatureFlags() | message.getWriterFeatureFlags();
        if ((flags & ~KNOWN_FLAGS) != 0) {
            throw new CorruptException(
                    path
                            + ": unknown Lance feature flags "
                            + Long.toUnsignedString(flags)
                            + ", known are "
                            + KNOWN_FLAGS);
        }
        if ((flags & FLAG_STABLE_ROW_IDS) == 0) {
            throw new CorruptException(path + ": the dataset has no stable row ids");
        }
        if (message.getBasePathsCount() > 0) {
            throw new CorruptException(path + ": other base paths are not supported");
        }
    }

    private void checkFragment(DataFragment fragment) {
        String where = path + ": fragment " + Long.toUnsignedString(fragment.getId());
        boolean external =
                !fragment.getExternalRowIds().isEmpty()
                        || !fragment.getExternalLastUpdatedVersions().isEmpty()
                        || !fragment.getExternalCreatedAtVersions().isEmpty();
        if (external) {
            throw new CorruptException(where + ": row ids or versions in a file of their own");
        }
        if (fragment.getFilesList().stream().anyMatch(DataFile::hasBaseId)
                || fragment.getDeletionFile().hasBaseId()) {
            throw new CorruptException(where + ": files under another base path");
        }
        for (DataFile file : fragment.getFilesList()) {
            if (!isFileName(file.getPath())) {
                throw new CorruptException(
                        where + ": a data file cannot have the name \"" + file.getPath() + "\"");
            }
        }
        long physical = fragment.getPhysicalRows();
        if (physical < 0 || physical > 1L << 32) {
            throw new CorruptException(where + ": " + Long.toUnsignedString(physical) + " rows");
        }
        long deleted = fragment.getDeletionFile().getNumDeletedRows();
        if (deleted < 0 || deleted > physical) {
            throw new CorruptException(
                    where
                            + ": "
                            + Long.toUnsignedString(deleted)
                            + " of "
                            + physical
                            + " rows deleted");
        }
    }

    /** A name must not lead out of the folder of data files. */
    private static boolean isFileName(String name) {
        return !name.isEmpty()
                && name.charAt(0) != '.'
                && name.chars().noneMatch(c -> c == '/' || c == '\\' || Character.isISOControl(c));
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
     * Checks a deletion file of this version against what the manifest says of it: its checksum, if
     * there is one, the number of deleted rows, and that they exist. Files in Arrow's format, which
     * only Lance writes, are not checked.
     *
     * @param file path under the dataset root, as in {@link LanceFragment#deletionFile()}
     * @throws CorruptException naming the file if it is another
     */
    public void checkDeletionFile(String file, byte[] bytes) {
        for (DataFragment fragment : message.getFragmentsList()) {
            DeletionFile deletions = fragment.getDeletionFile();
            boolean named =
                    fragment.hasDeletionFile()
                            && deletions.getFileType() == LanceDeletions.ROARING
                            && deletionPath(fragment.getId(), deletions).equals(file);
            if (named) {
                LanceDeletions.decode(
                        bytes, deletions, fragment.getPhysicalRows(), datasetRoot() + file);
            }
        }
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

    /** Finds rows, deleted ones included. */
    public LanceRowLocator locator() {
        return locator;
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
        return LanceIndexes.parse(indexSection, path);
    }

    /**
     * Row ids of a fragment's rows in their order, deleted ones included.
     *
     * @throws CorruptException if there is no such fragment
     */
    public List<RowIdRange> rowIds(long fragmentId) {
        for (DataFragment fragment : message.getFragmentsList()) {
            if (fragment.getId() == fragmentId) {
                return RowIdSequence.decode(
                                fragment.getInlineRowIds(), fragment.getPhysicalRows(), path)
                        .stream()
                        .map(run -> new RowIdRange(run.start(), run.start() + run.length()))
                        .toList();
            }
        }
        throw new CorruptException(
                path + ": there is no fragment " + Long.toUnsignedString(fragmentId));
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
        Map<Long, Long> first = locator.firstRowIds();
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
        next.clearTransactionSection().clearTransactionFile().clearIndexSection();
        byte[] indexSection = indexes.section();
        int indexLength = indexSection == null ? 0 : FRAME + indexSection.length;
        if (indexSection != null) {
            next.setIndexSection(0);
        }
        byte[] body = next.build().toByteArray();
        ByteBuffer out =
                ByteBuffer.allocate(indexLength + FRAME + body.length + FOOTER)
                        .order(ByteOrder.LITTLE_ENDIAN);
        if (indexSection != null) {
            out.putInt(indexSection.length).put(indexSection);
        }
        out.putInt(body.length).put(body).putLong(indexLength).putInt(format).putInt(MAGIC);
        return out.array();
    }
}
