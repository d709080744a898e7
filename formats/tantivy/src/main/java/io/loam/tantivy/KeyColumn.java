package io.loam.tantivy;

import io.loam.codec.CorruptException;
import io.loam.store.spi.DecodedValues;

import javax.annotation.Nullable;

import java.io.IOException;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Keys of documents by their ids, from the fast column {@code _pk} of a segment; Tantivy's Java
 * binding gives values of fast columns to queries only.
 *
 * <pre>
 * .fast   columns | names | u64 length of names | u32 documents | u32 2 | 02 "qwB" | Tantivy's frame
 * names   sorted table; a key is name 00 type, type 3 being bytes
 *         a block's values: varint n | varint where its first column starts | n-1 x varint length
 * _pk     sorted table of keys | column of their numbers | u32 length of the table
 * </pre>
 *
 * For the parts see {@link SortedBlocks} and {@link PackedOrdinals}. May be used from any thread.
 */
final class KeyColumn {
    private static final int TAIL_BYTES = 20;
    private static final int VERSION = 2;
    private static final int MAGIC = 'B' << 24 | 'w' << 16 | 'q' << 8 | 2;
    private static final byte[] COLUMN =
            (TantivyLayout.KEY + "\0\3").getBytes(StandardCharsets.US_ASCII);

    private final SortedKeys keys;
    private final PackedOrdinals ordinals;

    private KeyColumn(SortedKeys keys, PackedOrdinals ordinals) {
        this.keys = keys;
        this.ordinals = ordinals;
    }

    /**
     * @param fast a segment's {@code .fast} file, of which the checksum was checked
     * @param name of the file in messages
     * @return null if not every document has a key, as when rows of a range are gone, or if the
     *     column is packed in a way that is not known here
     */
    @Nullable
    static KeyColumn open(Path fast, String name, int documents) throws IOException {
        try (FileChannel file = FileChannel.open(fast)) {
            long end = SegmentFile.bodyEnd(name, file);
            if (end < TAIL_BYTES) {
                return null;
            }
            ByteBuffer tail = SegmentFile.read(file, end - TAIL_BYTES, TAIL_BYTES);
            long namesBytes = tail.getLong();
            if (tail.getInt() != documents || tail.getInt() != VERSION || tail.getInt() != MAGIC) {
                return null;
            }
            long namesStart = end - TAIL_BYTES - namesBytes;
            if (namesBytes < 0 || namesStart < 0) {
                throw new CorruptException(name + ": " + namesBytes + " bytes of names");
            }
            Range range =
                    find(
                            name,
                            SegmentFile.read(file, namesStart, Math.toIntExact(namesBytes))
                                    .array());
            if (range == null || range.length() > Integer.MAX_VALUE) {
                return null;
            }
            if (range.start() < 0
                    || range.length() < 0
                    || range.length() > namesStart - range.start()) {
                throw new CorruptException(name + ": a column at " + range);
            }
            return of(
                    name,
                    file.map(FileChannel.MapMode.READ_ONLY, range.start(), range.length()),
                    documents);
        } catch (IndexOutOfBoundsException
                | NegativeArraySizeException
                | IllegalArgumentException
                | BufferUnderflowException
                | ArithmeticException e) {
            throw new CorruptException(name + ": its columns are not what they say", e);
        }
    }

    private record Range(long start, long length) {}

    /** Where the column of keys is. */
    @Nullable
    private static Range find(String name, byte[] names) throws IOException {
        List<Range> ranges = new ArrayList<>();
        List<byte[]> columns = new ArrayList<>();
        new SortedBlocks(name, names)
                .read(
                        block -> ranges(block, ranges),
                        new DecodedValues() {
                            @Override
                            public void value(byte[] value) {
                                columns.add(value);
                            }

                            @Override
                            public void values(byte[] values) {
                                throw new IllegalStateException("names are no numbers");
                            }
                        });
        for (int i = 0; i < columns.size(); i++) {
            if (Arrays.equals(columns.get(i), COLUMN)) {
                return ranges.get(i);
            }
        }
        return null;
    }

    private static int ranges(byte[] block, List<Range> into) {
        SortedBlocks.Keys values = new SortedBlocks.Keys(block);
        long numbers = values.longVarint();
        long start = numbers == 0 ? 0 : values.longVarint();
        for (long i = 1; i < numbers; i++) {
            long length = values.longVarint();
            into.add(new Range(start, length));
            start += length;
        }
        return values.position();
    }

    @Nullable
    private static KeyColumn of(String name, ByteBuffer column, int documents) {
        int end = column.limit() - Integer.BYTES;
        int tableBytes = column.order(ByteOrder.LITTLE_ENDIAN).getInt(end);
        PackedOrdinals ordinals = PackedOrdinals.parse(column.slice(tableBytes, end - tableBytes));
        if (ordinals == null) {
            return null;
        }
        SortedKeys keys = new SortedKeys(name, column.slice(0, tableBytes));
        if (ordinals.count() != documents || keys.count() > documents) {
            throw new CorruptException(
                    name
                            + ": "
                            + keys.count()
                            + " keys and "
                            + ordinals.count()
                            + " numbers of "
                            + documents
                            + " documents");
        }
        return new KeyColumn(keys, ordinals);
    }

    /**
     * The canonical key of a document.
     *
     * @throws IndexOutOfBoundsException if there is no such document
     */
    byte[] key(int document) {
        return keys.get(ordinals.at(document));
    }
}
