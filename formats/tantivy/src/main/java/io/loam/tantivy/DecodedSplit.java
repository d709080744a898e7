package io.loam.tantivy;

import io.loam.codec.CorruptException;
import io.loam.codec.split.SplitFooter;
import io.loam.codec.split.SplitFooter.BundledFile;
import io.loam.store.spi.DecodedValues;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;

/**
 * What the files of a split hold beside their plain bytes, without the engine: every term of every
 * field, keys among them; stored fields; the dictionaries of fast fields as far as they are
 * compressed.
 */
final class DecodedSplit {
    private static final int TAIL_BYTES = 2 * Integer.BYTES;
    private static final int MAGIC = 1337;

    private DecodedSplit() {}

    /**
     * @throws CorruptException if the split is damaged, or of a form that is not known
     */
    static void read(String path, byte[] object, DecodedValues into) throws IOException {
        try {
            ByteBuffer bytes = ByteBuffer.wrap(object).order(ByteOrder.LITTLE_ENDIAN);
            if (object.length < SplitFooter.TRAILER_BYTES) {
                throw new CorruptException(path + ": too short for a split");
            }
            long start = bytes.getLong(object.length - SplitFooter.TRAILER_BYTES);
            if (start < 0 || start > object.length - SplitFooter.TRAILER_BYTES) {
                throw new CorruptException(path + ": its footer starts at " + start);
            }
            byte[] footer = Arrays.copyOfRange(object, (int) start, object.length);
            for (BundledFile file : SplitFooter.parse(path, start, footer).files()) {
                decodeFile(
                        path + ": " + file.name(),
                        Arrays.copyOfRange(object, (int) file.start(), (int) file.end()),
                        into);
            }
        } catch (IndexOutOfBoundsException
                | NegativeArraySizeException
                | IllegalArgumentException
                | ArithmeticException e) {
            throw new CorruptException(path + ": its files are not what they say", e);
        }
    }

    private static void decodeFile(String name, byte[] file, DecodedValues into)
            throws IOException {
        if (name.endsWith(".term")) {
            TermDictionary.read(name, body(name, file), into);
        } else if (name.endsWith(".store")) {
            StoredBlocks.read(name, body(name, file), into);
        } else if (name.endsWith(".fast")) {
            SortedBlocks.find(body(name, file), into);
        }
    }

    /** Without Tantivy's frame. */
    private static byte[] body(String name, byte[] file) {
        ByteBuffer bytes = ByteBuffer.wrap(file).order(ByteOrder.LITTLE_ENDIAN);
        int length = bytes.getInt(file.length - TAIL_BYTES);
        if (bytes.getInt(file.length - Integer.BYTES) != MAGIC
                || length < 0
                || length > file.length - TAIL_BYTES) {
            throw new CorruptException(name + ": does not end with Tantivy's footer");
        }
        return Arrays.copyOf(file, file.length - TAIL_BYTES - length);
    }
}
