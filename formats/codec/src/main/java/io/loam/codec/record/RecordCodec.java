package io.loam.codec.record;

import javax.annotation.Nullable;

/** An operation as the value of a stream record; the record's key is the canonical primary key. */
public final class RecordCodec {
    /** Most bytes of a value, version byte included. */
    public static final int MAX_VALUE_BYTES = 16 << 20;

    private RecordCodec() {}

    /** The value of a record; its key is {@code operation.key().canonical()}. */
    public static byte[] encode(Operation operation) {
        throw new UnsupportedOperationException("record slice");
    }

    /**
     * @throws RecordException for every record that is not one, checks in the order of the format
     */
    public static Operation decode(@Nullable byte[] key, @Nullable byte[] value) {
        throw new UnsupportedOperationException("record slice");
    }
}
