package io.loam.flink.operators;

import io.loam.codec.fold.LoggedOperation;
import io.loam.codec.key.InvalidKeyException;
import io.loam.codec.key.Partitioner;
import io.loam.codec.key.PrimaryKey;
import io.loam.codec.manifest.DeadLetter;
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
    private static final long NOT_YET = 0;

    LoggedOperation operation(Op op) {
        require(CommitMode.STREAM, op);
        return op.logged();
    }

    LoggedOperation operation(Change change) {
        require(CommitMode.DIRECT, change);
        return new LoggedOperation(
                Partitioner.partitionOf(change.operation().key(), partitions),
                NOT_YET,
                change.operation(),
                change.value());
    }

    DeadLetter letter(Letter letter) {
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
