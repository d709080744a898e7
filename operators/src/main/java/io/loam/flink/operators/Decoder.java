package io.loam.flink.operators;

import io.loam.codec.fold.LoggedOperation;
import io.loam.codec.key.Partitioner;
import io.loam.codec.manifest.DeadLetter;
import io.loam.codec.record.Operation;
import io.loam.codec.record.RecordCodec;
import io.loam.codec.record.RecordException;

/** Turns a record of the log into an operation, or into a dead letter that says why not. */
final class Decoder {
    private final int partitions;

    /**
     * @param partitions of the collection
     */
    Decoder(int partitions) {
        this.partitions = partitions;
    }

    CollectionElement decode(LogRecord record) {
        Operation operation;
        try {
            operation = RecordCodec.decode(record.key(), record.value());
        } catch (RecordException e) {
            return rejected(record, "undecodable: " + e.getMessage());
        }
        int owner = Partitioner.partitionOf(operation.key(), partitions);
        if (owner != record.partition()) {
            return rejected(record, "wrong_partition: the key belongs to partition " + owner);
        }
        return new CollectionElement.Op(
                new LoggedOperation(
                        record.partition(), record.offset(), operation, record.value()));
    }

    private static CollectionElement rejected(LogRecord record, String reason) {
        return new CollectionElement.Letter(
                new DeadLetter(
                        record.partition(), record.offset(), record.key(), record.value(), reason));
    }
}
