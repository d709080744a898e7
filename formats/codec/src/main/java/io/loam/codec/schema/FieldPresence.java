package io.loam.codec.schema;

/**
 * The term that marks a document as having a value of a field: FNV-1a 64 over the Tantivy field id
 * as u32 little-endian, then the byte ff.
 */
public final class FieldPresence {
    private static final long OFFSET_BASIS = 0xcbf29ce484222325L;
    private static final long PRIME = 0x100000001b3L;

    private FieldPresence() {}

    /** Unsigned. */
    public static long term(int fieldId) {
        long hash = OFFSET_BASIS;
        for (int shift = 0; shift < 32; shift += 8) {
            hash = (hash ^ (fieldId >>> shift & 0xff)) * PRIME;
        }
        return (hash ^ 0xff) * PRIME;
    }
}
