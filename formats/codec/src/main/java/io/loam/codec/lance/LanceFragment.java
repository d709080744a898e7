package io.loam.codec.lance;

import javax.annotation.Nullable;

import java.util.List;

/**
 * A fragment as a manifest describes it.
 *
 * @param dataFiles paths under the dataset root
 * @param deletionFile path under the dataset root, null for none
 */
public record LanceFragment(
        long id,
        long physicalRows,
        long deletedRows,
        List<String> dataFiles,
        @Nullable String deletionFile) {
    public LanceFragment {
        dataFiles = List.copyOf(dataFiles);
    }

    public long liveRows() {
        return physicalRows - deletedRows;
    }
}
