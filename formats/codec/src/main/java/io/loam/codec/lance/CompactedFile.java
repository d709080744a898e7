package io.loam.codec.lance;

import io.loam.codec.proto.LanceManifestProto.DataFragment;
import io.loam.codec.proto.LanceManifestProto.ExternalFile;
import io.loam.codec.staged.UnitColumn;

import com.google.protobuf.ByteString;

import javax.annotation.Nullable;

import java.util.List;

/**
 * A data file that holds rows of other fragments under their row ids.
 *
 * @param dataFile name under {@code data/}
 * @param columns vector columns of the file after the base columns
 * @param rows how many
 * @param rowIds Lance's {@code RowIdSequence}, as {@link RowIdEncoder} writes it
 * @param rowIdFile name of the file at the root of the dataset that holds just these row ids; null
 *     if they are to stand in the manifest
 */
public record CompactedFile(
        String dataFile,
        long bytes,
        List<UnitColumn> columns,
        long rows,
        byte[] rowIds,
        @Nullable String rowIdFile) {
    public CompactedFile {
        columns = List.copyOf(columns);
    }

    /** The beginning of a fragment: its row ids, or where they are. */
    DataFragment.Builder withRowIds() {
        DataFragment.Builder fragment = DataFragment.newBuilder();
        return rowIdFile == null
                ? fragment.setInlineRowIds(ByteString.copyFrom(rowIds))
                : fragment.setExternalRowIds(
                        ExternalFile.newBuilder()
                                .setPath(rowIdFile)
                                .setSize(rowIds.length)
                                .build()
                                .toByteString());
    }
}
