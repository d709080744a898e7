package io.loam.flink.operators;

import io.loam.codec.manifest.DeadLetter;
import io.loam.codec.schema.CollectionSchema;
import io.loam.codec.staged.KeyChange;
import io.loam.store.spi.Row;

import java.util.List;

/**
 * A folded batch, ready to be written: nothing in it depends on state any more.
 *
 * @param rows in key order; their ids follow each other from {@code firstRowId}
 * @param changes in key order
 */
record SealedBatch(
        CollectionSchema schema,
        long rowIdBase,
        long firstRowId,
        List<Row> rows,
        List<KeyChange> changes,
        List<DeadLetter> letters) {
    boolean isEmpty() {
        return changes.isEmpty() && letters.isEmpty();
    }
}
