package io.loam.codec.lance;

import io.loam.codec.CorruptException;
import io.loam.codec.proto.LanceManifestProto.DataFile;
import io.loam.codec.proto.LanceManifestProto.DataFragment;
import io.loam.codec.proto.LanceManifestProto.IndexSection;
import io.loam.codec.proto.LanceManifestProto.Manifest;

import com.google.protobuf.ByteString;
import com.google.protobuf.InvalidProtocolBufferException;

import javax.annotation.Nullable;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.HashSet;
import java.util.Set;

/**
 * The bytes of a Lance manifest file:
 *
 * <pre>
 * sections | u32 LE length | Manifest protobuf | u64 LE position of that length
 *          | u16 LE major | u16 LE minor | "LANC"
 * section  = u32 LE length | protobuf          (index section, transaction section)
 * </pre>
 *
 * @param indexSection its message, null if there is none
 * @param format major and minor
 */
record LanceManifestFile(Manifest message, @Nullable byte[] indexSection, int format) {
    static final long FLAG_DELETION_FILES = 1;
    static final long FLAG_STABLE_ROW_IDS = 2;

    /** Deletion files, stable row ids, table config, no transaction file. */
    private static final long KNOWN_FLAGS = FLAG_DELETION_FILES | FLAG_STABLE_ROW_IDS | 8 | 32;

    private static final int FOOTER = 16;
    private static final int MAGIC = 0x434e414c;
    private static final int FRAME = 4;

    /**
     * @throws CorruptException if it is none, or uses what is refused
     */
    static LanceManifestFile read(byte[] file, String path) {
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
            checkContent(message, path);
            return new LanceManifestFile(message, index, in.getInt(footer + 8));
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

    private static void checkContent(Manifest message, String path) {
        LanceColumns.check(message, path);
        Set<Long> ids = new HashSet<>();
        for (DataFragment fragment : message.getFragmentsList()) {
            checkFragment(fragment, path);
            if (!ids.add(fragment.getId())) {
                throw new CorruptException(
                        path
                                + ": two fragments have the id "
                                + Long.toUnsignedString(fragment.getId()));
            }
        }
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

    private static void checkFragment(DataFragment fragment, String path) {
        String where = path + ": fragment " + Long.toUnsignedString(fragment.getId());
        if (FragmentRowIds.hasFile(fragment)) {
            FragmentRowIds.file(fragment, where);
        }
        boolean external =
                !fragment.getExternalLastUpdatedVersions().isEmpty()
                        || !fragment.getExternalCreatedAtVersions().isEmpty();
        if (external) {
            throw new CorruptException(where + ": versions in a file of their own");
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
    static boolean isFileName(String name) {
        return !name.isEmpty()
                && name.charAt(0) != '.'
                && name.chars().noneMatch(c -> c == '/' || c == '\\' || Character.isISOControl(c));
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
