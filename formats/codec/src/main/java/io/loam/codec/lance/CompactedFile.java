package io.loam.codec.lance;

import io.loam.codec.staged.UnitColumn;

import java.util.List;

/**
 * A data file that holds rows of other fragments under their row ids.
 *
 * @param dataFile name under {@code data/}
 * @param columns vector columns of the file after the base columns
 * @param rows how many
 * @param rowIds Lance's {@code RowIdSequence}, as {@link RowIdEncoder} writes it
 */
public record CompactedFile(
        String dataFile, long bytes, List<UnitColumn> columns, long rows, byte[] rowIds) {
    public CompactedFile {
        columns = List.copyOf(columns);
    }
}
