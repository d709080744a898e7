package io.loam.codec.lance;

import io.loam.codec.CorruptException;
import io.loam.codec.RoaringFormat;
import io.loam.codec.proto.LanceManifestProto.IndexMetadata;
import io.loam.codec.proto.LanceManifestProto.IndexSection;

import com.google.protobuf.ByteString;
import com.google.protobuf.InvalidProtocolBufferException;
import org.roaringbitmap.RoaringBitmap;

import javax.annotation.Nullable;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.UUID;

/**
 * The index segments of a version and the fragments that each covers. A segment holds stable row
 * ids, so it stays right when rows move to other fragments, if only its coverage follows them.
 * Immutable.
 */
final class LanceIndexes {
    private static final int UUID_BYTES = 16;

    @Nullable private final byte[] section;
    private final IndexSection message;
    private final String path;

    private LanceIndexes(@Nullable byte[] section, IndexSection message, String path) {
        this.section = section;
        this.message = message;
        this.path = path;
    }

    /**
     * @param section the index section's message, null if the version has none
     */
    static LanceIndexes parse(@Nullable byte[] section, String path) {
        try {
            return new LanceIndexes(
                    section,
                    section == null
                            ? IndexSection.getDefaultInstance()
                            : IndexSection.parseFrom(section),
                    path);
        } catch (InvalidProtocolBufferException e) {
            throw new CorruptException(path + ": no index section: " + e.getMessage(), e);
        }
    }

    @Nullable
    byte[] section() {
        return section;
    }

    List<UUID> ids() {
        return message.getIndicesList().stream().map(this::id).toList();
    }

    private UUID id(IndexMetadata index) {
        ByteString bytes = index.getUuid().getUuid();
        if (bytes.size() != UUID_BYTES) {
            throw new CorruptException(path + ": an index id of " + bytes.size() + " bytes");
        }
        ByteBuffer id = bytes.asReadOnlyByteBuffer();
        return new UUID(id.getLong(), id.getLong());
    }

    List<LanceIndexSegment> segments() {
        return message.getIndicesList().stream().map(this::segment).toList();
    }

    private LanceIndexSegment segment(IndexMetadata index) {
        Set<Long> covered = new TreeSet<>();
        if (index.hasFragmentBitmap()) {
            fragments(index).forEach((int id) -> covered.add(Integer.toUnsignedLong(id)));
        }
        List<IndexFile> files =
                index.getFilesWrittenList().stream()
                        .map(
                                file ->
                                        new IndexFile(
                                                file.getName(), file.getBytes(), file.getCrc32C()))
                        .toList();
        return new LanceIndexSegment(id(index), index.getName(), covered, files);
    }

    /**
     * The same with one segment more.
     *
     * @param encoded IndexMetadata
     * @throws CorruptException if a segment has its id already
     */
    LanceIndexes add(byte[] encoded) {
        try {
            IndexMetadata added = IndexMetadata.parseFrom(encoded);
            if (ids().contains(id(added))) {
                throw new CorruptException(path + ": there is a segment " + id(added) + " already");
            }
            return of(message.toBuilder().addIndices(added).build());
        } catch (InvalidProtocolBufferException e) {
            throw new CorruptException(path + ": no index segment: " + e.getMessage(), e);
        }
    }

    /**
     * The same without some segments.
     *
     * @throws CorruptException if one is not there
     */
    LanceIndexes remove(Set<UUID> gone) {
        if (!new HashSet<>(ids()).containsAll(gone)) {
            throw new CorruptException(path + ": not all of the segments " + gone + " are there");
        }
        List<IndexMetadata> kept =
                message.getIndicesList().stream()
                        .filter(index -> !gone.contains(id(index)))
                        .toList();
        return of(message.toBuilder().clearIndices().addAllIndices(kept).build());
    }

    private LanceIndexes of(IndexSection next) {
        return new LanceIndexes(next.toByteArray(), next, path);
    }

    /** Segments that cover a fragment. Those that do not say what they cover are left out. */
    Set<UUID> covering(long fragmentId) {
        Set<UUID> covering = new HashSet<>();
        for (IndexMetadata index : message.getIndicesList()) {
            if (index.hasFragmentBitmap() && fragments(index).contains((int) fragmentId)) {
                covering.add(id(index));
            }
        }
        return covering;
    }

    private RoaringBitmap fragments(IndexMetadata index) {
        return RoaringFormat.decode(
                index.getFragmentBitmap().toByteArray(), 0, path + ": coverage of an index");
    }

    /**
     * The same with fragments in the place of others.
     *
     * @throws CorruptException if a segment covers some of the old fragments and not the others
     */
    LanceIndexes replace(Set<Long> gone, List<Long> added) {
        List<IndexMetadata> indexes = new ArrayList<>();
        for (IndexMetadata index : message.getIndicesList()) {
            indexes.add(index.hasFragmentBitmap() ? replace(index, gone, added) : index);
        }
        IndexSection next = message.toBuilder().clearIndices().addAllIndices(indexes).build();
        return new LanceIndexes(section == null ? null : next.toByteArray(), next, path);
    }

    private IndexMetadata replace(IndexMetadata index, Set<Long> gone, List<Long> added) {
        RoaringBitmap fragments = fragments(index);
        long covered = gone.stream().filter(id -> fragments.contains(id.intValue())).count();
        if (covered == 0) {
            return index;
        }
        if (covered < gone.size()) {
            throw new CorruptException(
                    path
                            + ": segment "
                            + id(index)
                            + " of index "
                            + index.getName()
                            + " covers "
                            + covered
                            + " of the fragments "
                            + gone
                            + ", which therefore cannot become one");
        }
        gone.forEach(id -> fragments.remove(id.intValue()));
        added.forEach(id -> fragments.add(id.intValue()));
        return index.toBuilder()
                .setFragmentBitmap(ByteString.copyFrom(RoaringFormat.encode(fragments)))
                .build();
    }
}
