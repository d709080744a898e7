package io.loam.flink.operators;

import io.loam.codec.key.InvalidKeyException;
import io.loam.codec.key.PrimaryKey;
import io.loam.codec.manifest.DeadLetter;
import io.loam.codec.staged.StagedUnit;
import io.loam.store.commit.OffsetRange;

import org.apache.flink.annotation.Internal;
import org.apache.flink.api.common.typeinfo.TypeInformation;

import javax.annotation.Nullable;

/**
 * What travels through the sink. Operations, letters and progress go in; units, progress and
 * reports come out of the staging operator.
 */
@Internal
public sealed interface CollectionElement {

    TypeInformation<CollectionElement> TYPE =
            new ValueTypeInfo<>(
                    CollectionElement.class, CollectionElementSerializer.INSTANCE, false);

    /**
     * The key an element is routed by. What belongs to a partition rather than to a key takes a
     * synthetic one; no state is ever written under it, so that it may equal a real key.
     */
    PrimaryKey routingKey();

    /**
     * An operation on one key, at its place in the implicit stream. Its value is decoded only where
     * it is staged, as decoding costs more than all the rest of the way there.
     */
    record Op(int partition, long offset, PrimaryKey key, byte[] value)
            implements CollectionElement {
        @Override
        public PrimaryKey routingKey() {
            return key;
        }
    }

    /** An operation on one key that no log has a place for: one of a changelog. */
    record Change(PrimaryKey key, byte[] value) implements CollectionElement {
        @Override
        public PrimaryKey routingKey() {
            return key;
        }
    }

    /** A record that is not applied; in direct mode the sink gives it its place. */
    record Letter(DeadLetter letter) implements CollectionElement {
        @Override
        public PrimaryKey routingKey() {
            byte[] key = letter.key();
            if (key != null) {
                try {
                    return PrimaryKey.parseCanonical(key);
                } catch (InvalidKeyException e) {
                    return ofPartition(letter.partition());
                }
            }
            return ofPartition(letter.partition());
        }
    }

    /** Offsets of a partition whose records all came before this element, and in its checkpoint. */
    record Progress(int partition, OffsetRange range) implements CollectionElement {
        @Override
        public PrimaryKey routingKey() {
            return ofPartition(partition);
        }
    }

    /** The row that a key has before any element of the input; batch execution only. */
    record CurrentRow(PrimaryKey key, long rowId) implements CollectionElement {
        @Override
        public PrimaryKey routingKey() {
            return key;
        }
    }

    /** A staged unit. */
    record Unit(StagedUnit unit) implements CollectionElement {
        @Override
        public PrimaryKey routingKey() {
            throw new IllegalStateException("a staged unit is not routed by key");
        }
    }

    /**
     * What a subtask's key index stands on after its operator was opened; in batch execution, which
     * version a subtask read its share of the keys from.
     *
     * @param repairedTo commit id of the manifest it was brought to, empty for a collection without
     *     commits; null if it stands as it was restored
     */
    record StageReport(int subtask, int parallelism, @Nullable String repairedTo)
            implements CollectionElement {
        @Override
        public PrimaryKey routingKey() {
            return ofPartition(subtask);
        }
    }

    private static PrimaryKey ofPartition(int partition) {
        return PrimaryKey.ofU64(partition);
    }
}
