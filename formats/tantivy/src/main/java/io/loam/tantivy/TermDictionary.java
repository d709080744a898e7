package io.loam.tantivy;

import io.loam.codec.CorruptException;
import io.loam.store.spi.DecodedValues;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;

/**
 * A {@code .term} file: a sorted table for each field, then
 *
 * <pre>
 * vint tables; for each: vint bytes from the start of the one before, u32 field, vint index
 * u32 length of this
 * </pre>
 *
 * A table ends with u64 offset of its index, u64 number of terms, u32 version, u32 kind. A block's
 * values: vint terms, vint postings start, vint positions start; for each: documents, bytes of
 * postings, bytes of positions, all vint. The last byte of a vint has the highest bit set.
 */
final class TermDictionary {
    private static final int STOP = 128;
    private static final int TERMS_FROM_END = 16;
    private static final int VINTS_BEFORE = 2;
    private static final int VINTS_EACH = 3;

    private final byte[] bytes;
    private int at;

    private TermDictionary(byte[] bytes, int at) {
        this.bytes = bytes;
        this.at = at;
    }

    static void read(String name, byte[] file, DecodedValues into) throws IOException {
        ByteBuffer buffer = ByteBuffer.wrap(file).order(ByteOrder.LITTLE_ENDIAN);
        int end = file.length - Integer.BYTES;
        int start = end - buffer.getInt(end);
        if (start < 0 || start > end) {
            throw new CorruptException(name + ": its list of fields starts at " + start);
        }
        TermDictionary footer = new TermDictionary(file, start);
        long tables = footer.vint();
        int table = 0;
        for (long i = 0; i < tables; i++) {
            long from = table + footer.vint();
            if (from < table || from > start) {
                throw new CorruptException(name + ": a field's terms start at " + from);
            }
            if (i > 0) {
                read(name, Arrays.copyOfRange(file, table, (int) from), into, buffer);
            }
            footer.at += Integer.BYTES;
            footer.vint();
            table = (int) from;
        }
        if (tables > 0) {
            read(name, Arrays.copyOfRange(file, table, start), into, buffer);
        }
    }

    private static void read(String name, byte[] table, DecodedValues into, ByteBuffer file)
            throws IOException {
        long terms = new SortedBlocks(name, table).read(TermDictionary::afterValues, into);
        long expected =
                ByteBuffer.wrap(table).order(file.order()).getLong(table.length - TERMS_FROM_END);
        if (terms != expected) {
            throw new CorruptException(
                    name + ": a field has " + terms + " terms, but says " + expected);
        }
    }

    private static int afterValues(byte[] block) {
        TermDictionary values = new TermDictionary(block, 0);
        long terms = values.vint();
        for (int i = 0; i < VINTS_BEFORE; i++) {
            values.vint();
        }
        for (long i = 0; i < terms; i++) {
            for (int j = 0; j < VINTS_EACH; j++) {
                values.vint();
            }
        }
        return values.at;
    }

    private long vint() {
        long value = 0;
        for (int shift = 0; ; shift += 7) {
            int next = bytes[at++];
            value |= (long) (next & STOP - 1) << shift;
            if ((next & STOP) != 0) {
                return value;
            }
        }
    }
}
