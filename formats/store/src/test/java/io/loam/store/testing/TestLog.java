package io.loam.store.testing;

import io.loam.codec.key.Partitioner;
import io.loam.codec.record.Operation;
import io.loam.codec.record.RecordCodec;
import io.loam.store.verify.LogReader;

import javax.annotation.Nullable;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/** An implicit stream in memory. */
public final class TestLog implements LogReader {
    private final List<List<LogRecord>> partitions = new ArrayList<>();

    public TestLog(int partitions) {
        for (int i = 0; i < partitions; i++) {
            this.partitions.add(new ArrayList<>());
        }
    }

    public int partitions() {
        return partitions.size();
    }

    public void add(Operation operation) {
        int partition = Partitioner.partitionOf(operation.key(), partitions.size());
        add(partition, operation.key().canonical(), RecordCodec.encode(operation));
    }

    /** Any bytes, anywhere. */
    public void add(int partition, @Nullable byte[] key, @Nullable byte[] value) {
        List<LogRecord> records = partitions.get(partition);
        records.add(new LogRecord(records.size(), key, value));
    }

    public List<LogRecord> from(int partition, long offset) {
        List<LogRecord> records = partitions.get(partition);
        return List.copyOf(records.subList((int) offset, records.size()));
    }

    @Override
    public long startOffset(int partition) {
        return 0;
    }

    @Override
    public void read(int partition, long end, Sink sink) throws IOException {
        for (LogRecord record : partitions.get(partition).subList(0, (int) end)) {
            sink.accept(record);
        }
    }

    @Override
    public void close() {}
}
