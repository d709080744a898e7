package io.loam.tantivy;

import io.loam.codec.CorruptException;
import io.loam.store.spi.DecodedValues;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * A {@code .store} file: blocks of stored fields, an index of them, and
 *
 * <pre>
 * u32 version | u64 offset of the index | u8 1 for lz4 | 15 bytes
 * block = u32 length | LZ4 block that gives so many bytes
 * </pre>
 */
final class StoredBlocks {
    private static final int FOOTER_BYTES = 28;
    private static final int LZ4 = 1;
    private static final int LONG = 15;
    private static final int MORE = 255;
    private static final int SHORTEST_MATCH = 4;

    private final byte[] file;
    private int at;

    private StoredBlocks(byte[] file) {
        this.file = file;
    }

    static void read(String name, byte[] file, DecodedValues into) throws IOException {
        ByteBuffer bytes = ByteBuffer.wrap(file).order(ByteOrder.LITTLE_ENDIAN);
        int footer = file.length - FOOTER_BYTES;
        long end = bytes.getLong(footer + Integer.BYTES);
        if (file[footer + Integer.BYTES + Long.BYTES] != LZ4 || end < 0 || end > footer) {
            throw new CorruptException(name + ": its stored fields are not compressed by lz4");
        }
        StoredBlocks blocks = new StoredBlocks(file);
        while (blocks.at < end) {
            int length = bytes.getInt(blocks.at);
            blocks.at += Integer.BYTES;
            if (length < 0 || length > MORE * (end - blocks.at)) {
                throw new CorruptException(name + ": a block of " + length + " bytes");
            }
            into.values(blocks.next(length));
        }
    }

    /** The block that begins here; it ends where it has given all bytes. */
    private byte[] next(int length) {
        byte[] out = new byte[length];
        int to = 0;
        while (true) {
            int token = file[at++] & 0xff;
            int literals = length(token >>> 4);
            System.arraycopy(file, at, out, to, literals);
            at += literals;
            to += literals;
            if (to == length) {
                return out;
            }
            int distance = file[at] & 0xff | (file[at + 1] & 0xff) << Byte.SIZE;
            at += 2;
            int match = length(token & LONG) + SHORTEST_MATCH;
            for (int i = 0; i < match; i++, to++) {
                out[to] = out[to - distance]; // may overlap what it copies
            }
        }
    }

    private int length(int half) {
        int length = half;
        if (half == LONG) {
            int more;
            do {
                more = file[at++] & 0xff;
                length += more;
            } while (more == MORE);
        }
        return length;
    }
}
