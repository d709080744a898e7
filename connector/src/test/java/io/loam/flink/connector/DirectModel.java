package io.loam.flink.connector;

import io.loam.codec.fold.KeyFold;
import io.loam.codec.fold.LoggedOperation;
import io.loam.codec.key.PrimaryKey;
import io.loam.codec.manifest.DeadLetter;
import io.loam.codec.record.Document;
import io.loam.codec.record.Operation;
import io.loam.codec.schema.CollectionSchema;
import io.loam.codec.schema.DocumentCheck;
import io.loam.store.verify.ExpectedRow;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** What a collection must hold after operations that came in a certain order, repeats included. */
final class DirectModel {
    private final DocumentCheck check;
    private final Map<PrimaryKey, List<LoggedOperation>> operations = new HashMap<>();

    DirectModel(CollectionSchema schema) {
        check = DocumentCheck.lenient(schema);
    }

    void apply(Operation operation) {
        operations
                .computeIfAbsent(operation.key(), any -> new ArrayList<>())
                .add(new LoggedOperation(0, 0, operation, new byte[0]));
    }

    Map<PrimaryKey, ExpectedRow> rows() {
        return fold(new ArrayList<>());
    }

    int deadLetters() {
        List<DeadLetter> letters = new ArrayList<>();
        fold(letters);
        return letters.size();
    }

    private Map<PrimaryKey, ExpectedRow> fold(List<DeadLetter> letters) {
        Map<PrimaryKey, ExpectedRow> rows = new HashMap<>();
        operations.forEach(
                (key, all) -> {
                    Document document =
                            KeyFold.prepare(
                                            all,
                                            candidate ->
                                                    check.firstViolation(candidate)
                                                            .map(broken -> broken.message()),
                                            letters::add)
                                    .fold(null, false)
                                    .document();
                    if (document != null) {
                        rows.put(key, ExpectedRow.of(document));
                    }
                });
        return rows;
    }
}
