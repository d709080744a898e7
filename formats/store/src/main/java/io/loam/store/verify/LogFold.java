package io.loam.store.verify;

import io.loam.codec.fold.FoldOutcome;
import io.loam.codec.fold.KeyFold;
import io.loam.codec.fold.LoggedOperation;
import io.loam.codec.key.Partitioner;
import io.loam.codec.key.PrimaryKey;
import io.loam.codec.manifest.DeadLetter;
import io.loam.codec.record.Document;
import io.loam.codec.record.Operation;
import io.loam.codec.record.RecordCodec;
import io.loam.codec.record.RecordException;
import io.loam.store.verify.LogReader.LogRecord;

import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The state a log folds to, one record after the other: no batches, no index, no row ids. What a
 * job made of the same log must not differ, however it cut the log.
 */
final class LogFold {
    /** First violation of the schema by the document that a record of the log would leave. */
    interface SchemaRule {
        Optional<String> violation(int partition, long offset, Document document);
    }

    private final int partitions;
    private final SchemaRule rule;
    private final Map<PrimaryKey, ExpectedRow> rows = new HashMap<>();
    private final List<DeadLetter> deadLetters = new ArrayList<>();
    private long records;

    LogFold(int partitions, SchemaRule rule) {
        this.partitions = partitions;
        this.rule = rule;
    }

    /** Folds every partition up to where it was applied. */
    void read(LogReader log, Map<Integer, Long> applied) throws IOException {
        for (Map.Entry<Integer, Long> entry : applied.entrySet()) {
            int partition = entry.getKey();
            log.read(partition, entry.getValue(), record -> apply(partition, record));
        }
    }

    private void apply(int partition, LogRecord record) {
        records++;
        Operation operation;
        try {
            operation = RecordCodec.decode(record.key(), record.value());
        } catch (RecordException e) {
            reject(partition, record, "undecodable: " + e.getMessage());
            return;
        }
        int owner = Partitioner.partitionOf(operation.key(), partitions);
        if (owner != partition) {
            reject(partition, record, "wrong_partition: the key belongs to partition " + owner);
            return;
        }
        fold(new LoggedOperation(partition, record.offset(), operation, record.value()));
    }

    private void fold(LoggedOperation logged) {
        PrimaryKey key = logged.operation().key();
        ExpectedRow row = rows.get(key);
        FoldOutcome outcome =
                KeyFold.prepare(
                                List.of(logged),
                                document ->
                                        rule.violation(
                                                logged.partition(), logged.offset(), document),
                                deadLetters::add)
                        .fold(row == null ? null : row.document(), row != null);
        switch (outcome.effect()) {
            case INSERT:
            case REPLACE:
                rows.put(
                        key,
                        new ExpectedRow(outcome.document(), outcome.partition(), outcome.offset()));
                break;
            case DELETE:
                rows.remove(key);
                break;
            default:
                break;
        }
    }

    private void reject(int partition, LogRecord record, String reason) {
        deadLetters.add(
                new DeadLetter(partition, record.offset(), record.key(), record.value(), reason));
    }

    Map<PrimaryKey, ExpectedRow> rows() {
        return rows;
    }

    List<DeadLetter> deadLetters() {
        return deadLetters;
    }

    long records() {
        return records;
    }
}
