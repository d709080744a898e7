package io.loam.flink.operators;

import io.loam.codec.fold.FoldOutcome;
import io.loam.codec.fold.KeyFold;
import io.loam.codec.json.Json;
import io.loam.codec.key.PrimaryKey;
import io.loam.codec.manifest.DeadLetter;
import io.loam.codec.record.Document;
import io.loam.codec.schema.CollectionSchema;
import io.loam.codec.staged.KeyChange;
import io.loam.flink.operators.BatchBuffer.Batch;
import io.loam.store.commit.CommitMode;
import io.loam.store.spi.Row;

import javax.annotation.Nullable;

import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;

/**
 * Folds one batch by one schema. {@link #fold} only reads; {@link #seal} then hands out row ids and
 * changes the index.
 */
final class BatchFold {
    private final KeyIndex index;
    private final CollectionSchema schema;
    private final List<Keyed> keys = new ArrayList<>();
    private final List<DeadLetter> letters;
    private int violations;

    /** A key of the batch and what its operations come to. */
    private static final class Keyed {
        private final PrimaryKey key;
        private final KeyFold.Prepared prepared;
        @Nullable private final Long oldRow;
        @Nullable private FoldOutcome outcome;

        Keyed(PrimaryKey key, KeyFold.Prepared prepared, @Nullable Long oldRow) {
            this.key = key;
            this.prepared = prepared;
            this.oldRow = oldRow;
        }
    }

    private BatchFold(KeyIndex index, CollectionSchema schema, List<DeadLetter> letters) {
        this.index = index;
        this.schema = schema;
        this.letters = letters;
    }

    /**
     * Folds a batch.
     *
     * @param violation first violation of the schema, read leniently
     */
    static BatchFold fold(
            Batch batch,
            CollectionSchema schema,
            Function<Document, Optional<String>> violation,
            KeyIndex index,
            CurrentRows rows)
            throws IOException {
        BatchFold fold = new BatchFold(index, schema, new ArrayList<>(batch.letters()));
        fold.prepare(batch, violation);
        fold.decide(rows);
        return fold;
    }

    private void prepare(Batch batch, Function<Document, Optional<String>> violation)
            throws IOException {
        for (var entry : batch.operations().entrySet()) {
            KeyFold.Prepared prepared = KeyFold.prepare(entry.getValue(), violation, this::reject);
            keys.add(new Keyed(entry.getKey(), prepared, index.row(entry.getKey())));
        }
    }

    private void reject(DeadLetter letter) {
        letters.add(letter);
        violations++;
    }

    private void decide(CurrentRows rows) throws IOException {
        Map<PrimaryKey, Long> needed = new HashMap<>();
        for (Keyed keyed : keys) {
            if (keyed.oldRow != null && keyed.prepared.needsCurrent()) {
                needed.put(keyed.key, keyed.oldRow);
            }
        }
        Map<PrimaryKey, Document> current = needed.isEmpty() ? Map.of() : rows.read(needed);
        for (Keyed keyed : keys) {
            keyed.outcome = keyed.prepared.fold(current.get(keyed.key), keyed.oldRow != null);
        }
    }

    /** How many records the schema turned away. */
    int violations() {
        return violations;
    }

    /**
     * Gives new rows their ids and brings the index up to date. In direct mode a row's offset is
     * its own id, and a letter's is an id that no row has.
     */
    SealedBatch seal(RowIdAllocator ids, CommitMode mode) throws IOException {
        boolean direct = mode == CommitMode.DIRECT;
        ids.reserve(newRows() + (direct ? letters.size() : 0));
        List<Row> rows = new ArrayList<>();
        List<KeyChange> changes = new ArrayList<>();
        long firstRowId = 0;
        for (Keyed keyed : keys) {
            FoldOutcome outcome = keyed.outcome;
            switch (outcome.effect()) {
                case NONE:
                    break;
                case DELETE:
                    change(changes, keyed, null);
                    break;
                case INSERT:
                case REPLACE:
                    long id = ids.next();
                    firstRowId = rows.isEmpty() ? id : firstRowId;
                    rows.add(row(outcome, direct ? id : outcome.offset()));
                    change(changes, keyed, id);
                    break;
                default:
                    throw new IllegalStateException("unknown effect " + outcome.effect());
            }
        }
        return new SealedBatch(
                schema,
                ids.base(),
                firstRowId,
                rows,
                changes,
                direct ? numbered(letters, ids) : letters);
    }

    private long newRows() {
        return keys.stream().filter(keyed -> keyed.outcome.document() != null).count();
    }

    private static Row row(FoldOutcome outcome, long offset) {
        Document document = outcome.document();
        return new Row(document, Json.print(document.source()), outcome.partition(), offset);
    }

    private static List<DeadLetter> numbered(List<DeadLetter> letters, RowIdAllocator ids) {
        return letters.stream()
                .map(
                        letter ->
                                new DeadLetter(
                                        letter.partition(),
                                        ids.nextLetter(),
                                        letter.key(),
                                        letter.value(),
                                        letter.reason()))
                .toList();
    }

    private void change(List<KeyChange> changes, Keyed keyed, @Nullable Long newRow)
            throws IOException {
        changes.add(new KeyChange(keyed.key, keyed.oldRow, newRow));
        index.put(keyed.key, newRow);
    }
}
