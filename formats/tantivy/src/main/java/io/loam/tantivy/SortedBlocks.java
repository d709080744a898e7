package io.loam.tantivy;

import io.loam.codec.CorruptException;
import io.loam.store.spi.DecodedValues;

import com.github.luben.zstd.Zstd;
import com.github.luben.zstd.ZstdException;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;

/**
 * Blocks of Tantivy's sorted tables:
 *
 * <pre>
 * table   block*  u32 0  index  tail
 * block   u32 length of what follows | u8 1 if compressed by zstd, else 0 | values | entry*
 * entry   u8: low half bytes kept of the key before, high half bytes added; or
 *         u8 1 | varint kept | varint added
 *         the added bytes
 * </pre>
 */
final class SortedBlocks {
    private static final int[] ZSTD = {0x28, 0xb5, 0x2f, 0xfd};
    private static final int LONGEST_BLOCK = 1 << 28;
    private static final int CONTINUED = 128;

    /** Skips a block's values and returns where its entries start. */
    @FunctionalInterface
    interface Values {
        int skip(byte[] block);
    }

    private final String name;
    private final byte[] table;
    private int at;

    SortedBlocks(String name, byte[] table) {
        this.name = name;
        this.table = table;
    }

    /** Hands out every key and returns how many there are. */
    long read(Values values, DecodedValues into) throws IOException {
        long keys = 0;
        while (true) {
            int length = ByteBuffer.wrap(table).order(ByteOrder.LITTLE_ENDIAN).getInt(at);
            at += Integer.BYTES;
            if (length == 0) {
                return keys;
            }
            if (length < 1 || length > table.length - at) {
                throw new CorruptException(name + ": a block of " + length + " bytes");
            }
            byte[] block = Arrays.copyOfRange(table, at + 1, at + length);
            if (table[at] == 1) {
                block = decompress(name, block);
            }
            at += length;
            keys += keys(block, values.skip(block), into);
        }
    }

    static byte[] decompress(String name, byte[] block) {
        try {
            long size = Zstd.getFrameContentSize(block);
            if (size < 0 || size > LONGEST_BLOCK) {
                throw new CorruptException(name + ": a block of unknown size");
            }
            return Zstd.decompress(block, (int) size);
        } catch (ZstdException e) {
            throw new CorruptException(name + ": " + e.getMessage(), e);
        }
    }

    private static long keys(byte[] block, int from, DecodedValues into) throws IOException {
        Keys keys = new Keys(block, from);
        long count = 0;
        while (keys.hasNext()) {
            into.value(keys.next());
            count++;
        }
        return count;
    }

    /** The keys of a block one after the other. */
    static final class Keys {
        private final byte[] block;
        private int position;
        private byte[] last = new byte[0];

        /** Of a block without values. */
        Keys(byte[] block) {
            this(block, 0);
        }

        Keys(byte[] block, int from) {
            this.block = block;
            this.position = from;
        }

        boolean hasNext() {
            return position < block.length;
        }

        byte[] next() {
            int head = block[position++] & 0xff;
            int kept = head == 1 ? varint() : head & 0xf;
            int added = head == 1 ? varint() : head >>> 4;
            if (kept < 0 || kept > last.length || added < 0 || added > block.length - position) {
                throw new IndexOutOfBoundsException("a key has more than there is");
            }
            byte[] key = Arrays.copyOf(last, kept + added);
            System.arraycopy(block, position, key, kept, added);
            position += added;
            last = key;
            return key;
        }

        /** Counts the keys that are left without making them. */
        int skipAll() {
            int count = 0;
            while (hasNext()) {
                int head = block[position++] & 0xff;
                if (head == 1) {
                    varint();
                }
                int added = head == 1 ? varint() : head >>> 4;
                if (added < 0) {
                    throw new IndexOutOfBoundsException("a key adds " + added + " bytes");
                }
                position += added;
                count++;
            }
            return count;
        }

        int position() {
            return position;
        }

        private int varint() {
            return (int) longVarint();
        }

        /** For values, which come before the keys. */
        long longVarint() {
            long value = 0;
            for (int shift = 0; ; shift += 7) {
                int next = block[position++];
                value |= (long) (next & CONTINUED - 1) << shift;
                if ((next & CONTINUED) == 0) {
                    return value;
                }
            }
        }
    }

    /**
     * Hands out the keys of every compressed block without values that is somewhere in a file, and
     * of other compressed blocks the bytes. What is not compressed stands in the file as it is.
     */
    static void find(byte[] file, DecodedValues into) throws IOException {
        ByteBuffer bytes = ByteBuffer.wrap(file).order(ByteOrder.LITTLE_ENDIAN);
        int head = Integer.BYTES + 1;
        for (int start = head; start + ZSTD.length <= file.length; start++) {
            if (!isFrame(file, start) || file[start - 1] != 1) {
                continue;
            }
            int length = bytes.getInt(start - head) - 1;
            if (length < ZSTD.length || length > file.length - start) {
                continue;
            }
            byte[] block;
            try {
                block = decompress("", Arrays.copyOfRange(file, start, start + length));
            } catch (CorruptException e) {
                continue; // it only looked like one
            }
            into.value(block);
            try {
                keys(block, 0, into);
            } catch (IndexOutOfBoundsException
                    | NegativeArraySizeException
                    | ArithmeticException e) {
                // It has values before its keys; what it holds was handed out as it is.
                continue;
            }
        }
    }

    private static boolean isFrame(byte[] file, int start) {
        for (int i = 0; i < ZSTD.length; i++) {
            if ((file[start + i] & 0xff) != ZSTD[i]) {
                return false;
            }
        }
        return true;
    }
}
