package io.loam.tantivy;

import io.loam.codec.CorruptException;

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
 * A directory that shows a split with documents deleted: links to the split's files, a meta that
 * names the deletions, and
 *
 * <pre>
 * segment.1.del = frame(u32 LE documents | u64 LE words, bit set = alive)
 * </pre>
 */
final class DeleteOverlay {
    private static final int OPSTAMP = 1;

    private DeleteOverlay() {}

    /**
     * @param directory does not exist yet
     */
    static void create(LocalSplit split, RoaringBitmap deleted, Path directory) throws IOException {
        IndexMeta meta = split.meta();
        if (Integer.toUnsignedLong(deleted.last()) >= meta.docCount()) {
            throw new CorruptException(
                    "document "
                            + Integer.toUnsignedString(deleted.last())
                            + " is deleted, but the split has "
                            + meta.docCount());
        }
        Files.createDirectory(directory);
        List<String> names = new ArrayList<>();
        try (Stream<Path> files = Files.list(split.directory())) {
            for (Path file : files.toList()) {
                String name = file.getFileName().toString();
                if (name.startsWith(meta.segment())) {
                    link(file, directory.resolve(name));
                    names.add(name);
                }
            }
        }
        String deletes = meta.segment() + "." + OPSTAMP + ".del";
        Files.write(
                directory.resolve(deletes),
                SegmentFile.frame(alive((int) meta.docCount(), deleted)));
        names.add(deletes);
        Files.write(
                directory.resolve(IndexMeta.FILE),
                meta.withDeletes(deleted.getLongCardinality(), OPSTAMP));
        names.add(IndexMeta.FILE);
        Files.write(directory.resolve(IndexMeta.MANAGED_FILE), IndexMeta.managed(names));
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
