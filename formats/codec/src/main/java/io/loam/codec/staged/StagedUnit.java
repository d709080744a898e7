package io.loam.codec.staged;

import io.loam.codec.Ulid;
import io.loam.codec.manifest.SplitRef;

import javax.annotation.Nullable;

import java.util.List;

/**
 * What one writer uploaded for one stretch of a checkpoint, ready to be published: rows, their
 * split, the list of key changes, dead letters. Row ids are {@code firstRowId} to {@code firstRowId
 * + rowCount}, in the order of the data file and of the split's documents.
 *
 * @param unit names the staged objects ({@code staged/<unit>.stg|.keys|.dlp})
 * @param createdAtMs when the unit was begun, metastore clock
 * @param schemaVersion of the schema its split was built with
 * @param rowIdBase the base its row ids were computed from
 * @param dataFile file name under {@code lance/data/}, empty when {@code rowCount} is 0
 * @param columns vector columns of the data file after the four base columns, in file order
 * @param split absent when {@code rowCount} is 0
 * @param keyChanges entries of the key list object; 0 means there is none
 * @param deadLetters letters of the dead-letter part; 0 means there is none
 */
public record StagedUnit(
        Ulid unit,
        long createdAtMs,
        long schemaVersion,
        long rowIdBase,
        long firstRowId,
        long rowCount,
        String dataFile,
        long dataFileBytes,
        List<UnitColumn> columns,
        @Nullable SplitRef split,
        long keyChanges,
        long keyListBytes,
        long deadLetters,
        long deadLetterBytes) {
    public StagedUnit {
        columns = List.copyOf(columns);
    }
}
