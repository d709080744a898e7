package io.loam.store.spi;

import java.io.IOException;

/** Takes what a file holds, decompressed and decoded. */
public interface DecodedValues {
    /** One value: a key, a term, a document. */
    void value(byte[] value) throws IOException;

    /** Values of fixed width, one after the other, little-endian. */
    void values(byte[] values) throws IOException;
}
