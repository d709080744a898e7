package io.loam.flink.operators;

import io.loam.codec.fold.LoggedOperation;
import io.loam.codec.key.InvalidKeyException;
import io.loam.codec.key.Partitioner;
import io.loam.codec.key.PrimaryKey;
import io.loam.codec.manifest.DeadLetter;
import io.loam.codec.record.Operation;
import io.loam.codec.record.RecordCodec;
import io.loam.codec.record.RecordException;
import io.loam.flink.operators.CollectionElement.Change;
import io.loam.flink.operators.CollectionElement.Letter;
import io.loam.flink.operators.CollectionElement.Op;
import io.loam.store.commit.CommitMode;

import org.apache.flink.runtime.execution.SuppressRestartsException;

/**
 * What a sink takes in its mode. In stream mode everything has a partition and an offset of the
 * log. In direct mode nothing has: the partition is the one the key belongs to, 0 without a key,
 * and the offset is given when the batch is sealed.
 *
 * @param partitions of the collection
 */
record Intake(CommitMode mode, int partitions) {
    /** What the reason of a dead letter that is no record begins with. */
    static final String UNDECODABLE = "undecodable: ";

    private static final long NOT_YET = 0;

    /**
     * Takes an operation or a letter of this mode into a buffer.
     *
     * @return false if an operation became a letter
     */
    boolean take(CollectionElement element, BatchBuffer buffer) {
        if (element instanceof Op op) {
            require(CommitMode.STREAM, op);
            return take(op, Partitioner.partitionOf(op.key(), partitions), buffer);
        } else if (element instanceof Change change) {
            require(CommitMode.DIRECT, change);
            int owner = Partitioner.partitionOf(change.key(), partitions);
            return take(new Op(owner, NOT_YET, change.key(), change.value()), owner, buffer);
        } else if (element instanceof Letter letter) {
            buffer.add(letter(letter));
            return true;
        }
        throw new IllegalStateException(
                "a staging operator takes no " + element.getClass().getSimpleName());
    }

    private static boolean take(Op op, int owner, BatchBuffer buffer) {
        try {
            Operation operation = RecordCodec.decodeValue(op.key(), op.value());
            if (owner == op.partition()) {
                buffer.add(new LoggedOperation(op.partition(), op.offset(), operation, op.value()));
                return true;
            }
            buffer.add(letter(op, "wrong_partition: the key belongs to partition " + owner));
        } catch (RecordException e) {
            buffer.add(letter(op, UNDECODABLE + e.getMessage()));
        }
        return false;
    }

    private static DeadLetter letter(Op op, String reason) {
        return new DeadLetter(
                op.partition(), op.offset(), op.key().canonical(), op.value(), reason);
    }

    private DeadLetter letter(Letter letter) {
        DeadLetter given = letter.letter();
        return mode == CommitMode.STREAM
                ? given
                : new DeadLetter(
                        partition(given), NOT_YET, given.key(), given.value(), given.reason());
    }

    private int partition(DeadLetter letter) {
        byte[] key = letter.key();
        if (key == null) {
            return 0;
        }
        try {
            return Partitioner.partitionOf(PrimaryKey.parseCanonical(key), partitions);
        } catch (InvalidKeyException e) {
            return 0;
        }
    }

    /** A restart would meet the same job again. */
    void require(CommitMode needed, CollectionElement element) {
        if (mode != needed) {
            throw new SuppressRestartsException(
                    new IllegalStateException(
                            "a sink in "
                                    + mode
                                    + " mode takes no "
                                    + element.getClass().getSimpleName()
                                    + ": "
                                    + (mode == CommitMode.STREAM
                                            ? "it needs the elements of an ImplicitStreamSource,"
                                                    + " which have offsets; for others set"
                                                    + " loam.sink.mode=DIRECT"
                                            : "it needs changes without offsets; for the elements"
                                                    + " of an ImplicitStreamSource set"
                                                    + " loam.sink.mode=STREAM")));
        }
    }
}
