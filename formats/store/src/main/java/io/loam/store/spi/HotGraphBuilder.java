package io.loam.store.spi;

import java.io.IOException;

/** A graph that is being built, by one thread. */
public interface HotGraphBuilder extends AutoCloseable {
    /** Adds a row's vector; each row once. The array may be used again afterwards. */
    void add(long rowId, float[] vector) throws IOException;

    /** Writes the files. */
    void finish() throws IOException;

    @Override
    void close() throws IOException;
}
