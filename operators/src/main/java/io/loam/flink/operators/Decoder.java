package io.loam.flink.operators;

import io.loam.codec.key.PrimaryKey;
import io.loam.codec.manifest.DeadLetter;
import io.loam.codec.record.RecordCodec;
import io.loam.codec.record.RecordException;

/** Turns a record of the log into one on a key, or into a dead letter that says why it is none. */
final class Decoder {
    private Decoder() {}

    static CollectionElement decode(LogRecord record) {
        try {
            PrimaryKey key = RecordCodec.key(record.key(), record.value());
            return new CollectionElement.Op(
                    record.partition(), record.offset(), key, record.value());
        } catch (RecordException e) {
            return new CollectionElement.Letter(
                    new DeadLetter(
                            record.partition(),
                            record.offset(),
                            record.key(),
                            record.value(),
                            Intake.UNDECODABLE + e.getMessage()));
        }
    }
}
