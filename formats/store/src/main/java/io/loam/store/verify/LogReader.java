package io.loam.store.verify;

import javax.annotation.Nullable;

import java.io.IOException;

/** Reads a collection's implicit stream anew, for the verifier. */
public interface LogReader extends AutoCloseable {
    /** A record as the log holds it. */
    record LogRecord(long offset, @Nullable byte[] key, @Nullable byte[] value) {}

    /** Takes records. */
    interface Sink {
        void accept(LogRecord record) throws IOException;
    }

    /** The first offset a partition still holds. */
    long startOffset(int partition) throws IOException;

    /** Every record of a partition below {@code end}, in the order of offsets. */
    void read(int partition, long end, Sink sink) throws IOException;

    @Override
    void close() throws IOException;
}
