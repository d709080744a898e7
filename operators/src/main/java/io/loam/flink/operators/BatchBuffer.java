package io.loam.flink.operators;

import io.loam.codec.fold.LoggedOperation;
import io.loam.codec.key.PrimaryKey;
import io.loam.codec.manifest.DeadLetter;

import javax.annotation.Nullable;

import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;

/** Collects operations by key, and dead letters, until there is a batch's worth of them. */
final class BatchBuffer {
    private final long maxBytes;
    private final int maxRecords;
    private SortedMap<PrimaryKey, List<LoggedOperation>> operations = new TreeMap<>();
    private List<DeadLetter> letters = new ArrayList<>();
    private long bytes;
    private int records;

    /** A full buffer's content: operations by ascending key, each key's in arrival order. */
    record Batch(
            SortedMap<PrimaryKey, List<LoggedOperation>> operations, List<DeadLetter> letters) {}

    BatchBuffer(long maxBytes, int maxRecords) {
        this.maxBytes = maxBytes;
        this.maxRecords = maxRecords;
    }

    void add(LoggedOperation operation) {
        PrimaryKey key = operation.operation().key();
        operations.computeIfAbsent(key, any -> new ArrayList<>(1)).add(operation);
        count(key.canonical(), operation.value());
    }

    void add(DeadLetter letter) {
        letters.add(letter);
        count(letter.key(), letter.value());
    }

    private void count(@Nullable byte[] key, @Nullable byte[] value) {
        bytes += (key == null ? 0 : key.length) + (value == null ? 0 : value.length);
        records++;
    }

    boolean isFull() {
        return bytes >= maxBytes || records >= maxRecords;
    }

    boolean isEmpty() {
        return records == 0;
    }

    /** Takes what is there; the buffer is empty afterwards. */
    Batch take() {
        Batch batch = new Batch(operations, letters);
        operations = new TreeMap<>();
        letters = new ArrayList<>();
        bytes = 0;
        records = 0;
        return batch;
    }
}
