package io.loam.tantivy;

import io.loam.codec.json.JsonValue;
import io.loam.codec.json.JsonValue.JsonBoolean;
import io.loam.codec.json.JsonValue.JsonObject;
import io.loam.codec.json.JsonValue.JsonString;
import io.loam.store.spi.KnownDocument;
import io.loam.store.spi.SplitReader;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;

/**
 * Whether a segment is what its inputs, one after the other, must give:
 *
 * <pre>
 * documents           as many as all inputs have
 * lengths of texts    those of the inputs, document after document
 * some documents      are found under their number by row id and by key
 * </pre>
 */
final class JoinCheck {
    /** One byte of every document for each text that counts its words, in the order of fields. */
    private static final String LENGTHS = ".fieldnorm";

    private final List<LocalSplit> inputs;
    private final TantivyLayout layout;

    JoinCheck(List<LocalSplit> inputs, TantivyLayout layout) {
        this.inputs = inputs;
        this.layout = layout;
    }

    /**
     * @throws IOException saying what is different
     */
    void check(Path directory, IndexMeta joined, List<KnownDocument> sample) throws IOException {
        LocalSplit result = new LocalSplit(directory, joined, 0, 0, 0);
        requireEqual(
                "documents",
                inputs.stream().mapToLong(input -> input.meta().docCount()).sum(),
                joined.docCount());
        checkLengths(result);
        try (SplitReader reader =
                new TantivySplitReader(result, layout, null, directory, () -> {})) {
            for (KnownDocument known : sample) {
                checkDocument(reader, known);
            }
        }
    }

    private static void requireEqual(String what, long expected, long actual) throws IOException {
        if (expected != actual) {
            throw new IOException(
                    "the joined split has " + actual + " " + what + ", its inputs " + expected);
        }
    }

    private void checkLengths(LocalSplit joined) throws IOException {
        int texts = 0;
        for (JsonValue field : joined.meta().schema().values()) {
            texts += countsWords(field) ? 1 : 0;
        }
        for (int text = 0; text < texts; text++) {
            ByteBuffer expected = ByteBuffer.allocate(Math.toIntExact(joined.meta().docCount()));
            for (LocalSplit input : inputs) {
                expected.put(lengths(input, text));
            }
            int different = Arrays.mismatch(expected.array(), lengths(joined, text));
            if (different >= 0) {
                throw new IOException(
                        "document "
                                + different
                                + " of the joined split does not have the length of its text "
                                + text);
            }
        }
    }

    private static boolean countsWords(JsonValue field) {
        return field instanceof JsonObject object
                && new JsonString("text").equals(object.members().get("type"))
                && object.members().get("options") instanceof JsonObject options
                && options.members().get("indexing") instanceof JsonObject indexing
                && new JsonBoolean(true).equals(indexing.members().get("fieldnorms"));
    }

    private static byte[] lengths(LocalSplit split, int text) throws IOException {
        int documents = Math.toIntExact(split.meta().docCount());
        ByteBuffer bytes = ByteBuffer.allocate(documents);
        Path file = split.directory().resolve(split.meta().segment() + LENGTHS);
        try (FileChannel channel = FileChannel.open(file)) {
            long from = (long) text * documents;
            while (bytes.hasRemaining()) {
                if (channel.read(bytes, from + bytes.position()) < 0) {
                    throw new IOException(file + " has fewer texts than the split");
                }
            }
        }
        return bytes.array();
    }

    private static void checkDocument(SplitReader reader, KnownDocument known) throws IOException {
        int[] ofRow = reader.docsOfRowId(known.rowId());
        int[] ofKey = reader.docsOfKey(known.key().canonical());
        boolean found =
                ofRow.length == 1
                        && ofRow[0] == known.doc()
                        && Arrays.stream(ofKey).anyMatch(doc -> doc == known.doc());
        if (!found) {
            throw new IOException(
                    "row "
                            + Long.toUnsignedString(known.rowId())
                            + " of key "
                            + known.key()
                            + " must be document "
                            + known.doc()
                            + " of the joined split, where documents "
                            + Arrays.toString(ofRow)
                            + " have the row and "
                            + Arrays.toString(ofKey)
                            + " the key");
        }
    }
}
