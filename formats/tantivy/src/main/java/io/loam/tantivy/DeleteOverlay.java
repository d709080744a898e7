package io.loam.tantivy;

import io.loam.codec.CorruptException;
import io.loam.codec.json.JsonValue.JsonObject;

import org.roaringbitmap.RoaringBitmap;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;

/**
 * A directory that shows splits with documents deleted: links to the splits' files, a meta that
 * names the deletions, and
 *
 * <pre>
 * segment.1.del = frame(u32 LE documents | u64 LE words, bit set = alive)
 * </pre>
 */
final class DeleteOverlay {
    private static final int OPSTAMP = 1;

    /** A split and those of its documents that are deleted. */
    record Masked(LocalSplit split, RoaringBitmap deleted) {}

    private DeleteOverlay() {}

    /**
     * @param directory does not exist yet
     */
    static void create(LocalSplit split, RoaringBitmap deleted, Path directory) throws IOException {
        create(List.of(new Masked(split, deleted)), directory);
    }

    /**
     * One index of several segments.
     *
     * @param splits of the same fields
     * @param directory does not exist yet
     */
    static void create(List<Masked> splits, Path directory) throws IOException {
        Files.createDirectory(directory);
        List<String> names = new ArrayList<>();
        List<JsonObject> segments = new ArrayList<>();
        for (Masked one : splits) {
            names.addAll(linked(one, directory));
            segments.add(
                    one.split().meta().segmentWithout(one.deleted().getLongCardinality(), OPSTAMP));
        }
        names.add(IndexMeta.FILE);
        Files.write(
                directory.resolve(IndexMeta.FILE),
                IndexMeta.print(splits.get(0).split().meta().schema(), segments));
        Files.write(directory.resolve(IndexMeta.MANAGED_FILE), IndexMeta.managed(names));
    }

    private static List<String> linked(Masked one, Path directory) throws IOException {
        IndexMeta meta = one.split().meta();
        RoaringBitmap deleted = one.deleted();
        if (!deleted.isEmpty() && Integer.toUnsignedLong(deleted.last()) >= meta.docCount()) {
            throw new CorruptException(
                    "document "
                            + Integer.toUnsignedString(deleted.last())
                            + " is deleted, but the split has "
                            + meta.docCount());
        }
        List<String> names = new ArrayList<>();
        try (Stream<Path> files = Files.list(one.split().directory())) {
            for (Path file : files.toList()) {
                String name = file.getFileName().toString();
                if (name.startsWith(meta.segment())) {
                    link(file, directory.resolve(name));
                    names.add(name);
                }
            }
        }
        if (!deleted.isEmpty()) {
            String deletes = meta.segment() + "." + OPSTAMP + ".del";
            Files.write(
                    directory.resolve(deletes),
                    SegmentFile.frame(alive((int) meta.docCount(), deleted)));
            names.add(deletes);
        }
        return names;
    }

    private static void link(Path file, Path link) throws IOException {
        try {
            Files.createLink(link, file);
        } catch (UnsupportedOperationException e) {
            Files.copy(file, link);
        }
    }

    private static byte[] alive(int documents, RoaringBitmap deleted) {
        long[] words = new long[(documents + Long.SIZE - 1) / Long.SIZE];
        Arrays.fill(words, -1L);
        if (documents % Long.SIZE != 0) {
            words[words.length - 1] = (1L << documents % Long.SIZE) - 1;
        }
        deleted.forEach((int doc) -> words[doc / Long.SIZE] &= ~(1L << doc % Long.SIZE));
        ByteBuffer body =
                ByteBuffer.allocate(Integer.BYTES + words.length * Long.BYTES)
                        .order(ByteOrder.LITTLE_ENDIAN)
                        .putInt(documents);
        body.asLongBuffer().put(words);
        return body.array();
    }
}
