package io.loam.tantivy;

import io.loam.codec.CorruptException;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;

/**
 * The keys of a sorted table without values by their number. All blocks are looked at once, to know
 * how many keys each has; then a key costs one block. For the form see {@link SortedBlocks}. May be
 * used from any thread.
 */
final class SortedKeys {
    private final String name;
    private final ByteBuffer table;
    private final List<Block> blocks = new ArrayList<>();
    private final long count;

    /** Where a block starts, and the number of its first key. */
    private record Block(int at, long first) {}

    /**
     * @param name of the table in messages
     * @throws CorruptException if its blocks do not end where it says
     */
    SortedKeys(String name, ByteBuffer table) {
        this.name = name;
        this.table = table.duplicate().order(ByteOrder.LITTLE_ENDIAN);
        long keys = 0;
        int at = 0;
        for (int length = length(at); length != 0; length = length(at)) {
            blocks.add(new Block(at, keys));
            keys += new SortedBlocks.Keys(block(at)).skipAll();
            at += Integer.BYTES + length;
        }
        this.count = keys;
    }

    private int length(int at) {
        int length = table.getInt(at);
        if (length < 0 || length > table.limit() - at - Integer.BYTES) {
            throw new CorruptException(name + ": a block of " + length + " bytes");
        }
        return length;
    }

    private byte[] block(int at) {
        byte[] bytes = new byte[length(at) - 1];
        table.get(at + Integer.BYTES + 1, bytes);
        return table.get(at + Integer.BYTES) == 1 ? SortedBlocks.decompress(name, bytes) : bytes;
    }

    long count() {
        return count;
    }

    /**
     * @param number from 0
     * @throws IndexOutOfBoundsException if there are not so many
     */
    byte[] get(long number) {
        if (number < 0 || number >= count) {
            throw new IndexOutOfBoundsException(number + " of " + count);
        }
        int low = 0;
        int high = blocks.size() - 1;
        while (low < high) {
            int middle = low + high + 1 >>> 1;
            if (blocks.get(middle).first() <= number) {
                low = middle;
            } else {
                high = middle - 1;
            }
        }
        Block block = blocks.get(low);
        SortedBlocks.Keys keys = new SortedBlocks.Keys(block(block.at()));
        byte[] key = keys.next();
        for (long i = block.first(); i < number; i++) {
            key = keys.next();
        }
        return key;
    }
}
