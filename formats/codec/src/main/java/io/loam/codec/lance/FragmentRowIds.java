package io.loam.codec.lance;

import io.loam.codec.CorruptException;
import io.loam.codec.Crc32c;
import io.loam.codec.lance.RowIdSequence.Run;
import io.loam.codec.proto.LanceManifestProto.DataFragment;
import io.loam.codec.proto.LanceManifestProto.ExternalFile;

import com.google.protobuf.ByteString;
import com.google.protobuf.InvalidProtocolBufferException;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.function.Function;

/**
 * Finds the row ids of fragments: in the manifest, or in a file of their own at the root of the
 * dataset, which is where lance-core looks for it whatever its name.
 */
final class FragmentRowIds {
    private final String path;
    private final String root;
    private final Function<String, byte[]> files;
    private final Map<String, byte[]> checked = new HashMap<>();

    /**
     * @param path of the manifest
     * @param root of the dataset, with a slash
     * @param files gives the bytes of a file by its name
     */
    FragmentRowIds(String path, String root, Function<String, byte[]> files) {
        this.path = path;
        this.root = root;
        this.files = files;
    }

    /** The file of a fragment's row ids; it has one. */
    static ExternalFile file(DataFragment fragment, String where) {
        try {
            ExternalFile file = ExternalFile.parseFrom(fragment.getExternalRowIds());
            if (!LanceManifestFile.isFileName(file.getPath())) {
                throw new CorruptException(
                        where
                                + ": a file of row ids cannot have the name \""
                                + file.getPath()
                                + "\"");
            }
            return file;
        } catch (InvalidProtocolBufferException e) {
            throw new CorruptException(where + ": no file of row ids: " + e.getMessage(), e);
        }
    }

    static boolean hasFile(DataFragment fragment) {
        return !fragment.getExternalRowIds().isEmpty();
    }

    /** The row ids of a fragment in the order of its rows. */
    List<Run> runs(DataFragment fragment) {
        return read(fragment, RowIdSequence::decode);
    }

    /** The same in the form in which they are found. */
    List<RowIdSegment> segments(DataFragment fragment) {
        return read(fragment, RowIdSequence::segments);
    }

    private interface Decoder<T> {
        List<T> decode(ByteString bytes, long rows, String where);
    }

    private <T> List<T> read(DataFragment fragment, Decoder<T> decoder) {
        String where = path + ": fragment " + Long.toUnsignedString(fragment.getId());
        if (!hasFile(fragment)) {
            return decoder.decode(fragment.getInlineRowIds(), fragment.getPhysicalRows(), where);
        }
        ExternalFile file = file(fragment, where);
        byte[] bytes = checked.computeIfAbsent(file.getPath(), this::load);
        if (file.getOffset() < 0
                || file.getSize() < 0
                || file.getOffset() > bytes.length - file.getSize()) {
            throw new CorruptException(
                    root
                            + file.getPath()
                            + ": has "
                            + bytes.length
                            + " bytes, "
                            + where
                            + " names "
                            + Long.toUnsignedString(file.getSize())
                            + " at "
                            + Long.toUnsignedString(file.getOffset()));
        }
        ByteString sequence =
                ByteString.copyFrom(bytes, (int) file.getOffset(), (int) file.getSize());
        return decoder.decode(sequence, fragment.getPhysicalRows(), root + file.getPath());
    }

    private byte[] load(String name) {
        byte[] bytes = files.apply(name);
        if (bytes == null) {
            throw new CorruptException(path + ": the row ids in " + name + " are not there");
        }
        OptionalInt crc = DataFileName.crc32c(name);
        int actual = Crc32c.of(bytes);
        if (crc.isPresent() && crc.getAsInt() != actual) {
            throw new CorruptException(
                    String.format(
                            "%s: crc32c is %08x, expected the one in its name",
                            root + name, actual));
        }
        return bytes;
    }
}
