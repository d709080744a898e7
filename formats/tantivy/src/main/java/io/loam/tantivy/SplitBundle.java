package io.loam.tantivy;

import io.loam.codec.CorruptException;
import io.loam.codec.manifest.SplitRef;
import io.loam.codec.split.SplitFooter;
import io.loam.codec.split.SplitFooter.BundledFile;
import io.loam.store.object.ObjectStore;
import io.loam.store.spi.SplitBuilder;

import io.indextables.tantivy4java.split.merge.QuickwitSplit;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;

/**
 * Writes an index as a split: its files in name order, then the {@link SplitFooter}. Tantivy's own
 * converter keeps no order and leaves the trailer out; what is taken from it is the hotcache.
 */
final class SplitBundle {
    private SplitBundle() {}

    /**
     * Writes a split of an index.
     *
     * @param converted where Tantivy's own converter writes; deleted afterwards
     * @param split does not exist yet
     */
    static SplitBuilder.Built of(Path index, IndexMeta meta, Path converted, Path split)
            throws IOException {
        long convertedFooter =
                QuickwitSplit.convertIndexFromPath(
                                index.toString(),
                                converted.toString(),
                                new QuickwitSplit.SplitConfig("loam", "loam", "loam"))
                        .getFooterStartOffset();
        byte[] hotcache = hotcache(converted, convertedFooter);
        Files.delete(converted);
        byte[] footer = write(index, meta, hotcache, split);
        long size = Files.size(split);
        long footerStart = size - footer.length;
        SplitFooter.parse(split.toString(), footerStart, footer);
        return new SplitBuilder.Built(
                split, meta.docCount(), size, footerStart, SplitFooter.crc32c(footer));
    }

    /** The hotcache in a split of Tantivy's converter. */
    static byte[] hotcache(Path converted, long footerStart) throws IOException {
        byte[] footer;
        try (RandomAccessFile file = new RandomAccessFile(converted.toFile(), "r")) {
            int length = Math.toIntExact(file.length() - footerStart);
            footer = new byte[length];
            file.seek(footerStart);
            file.readFully(footer);
        }
        byte[] trailer = SplitFooter.trailer(footerStart);
        byte[] whole = Arrays.copyOf(footer, footer.length + trailer.length);
        System.arraycopy(trailer, 0, whole, footer.length, trailer.length);
        return SplitFooter.parse(converted.toString(), footerStart, whole).hotcache();
    }

    /** The description of the index in a split that is stored. */
    static IndexMeta meta(ObjectStore objects, String path, SplitRef split) throws IOException {
        SplitFooter.checkRange(path, split.footerStart(), split.footerEnd(), split.sizeBytes());
        byte[] bytes =
                objects.get(
                        path,
                        split.footerStart(),
                        Math.toIntExact(split.footerEnd() - split.footerStart()));
        SplitFooter.checkCrc(path, bytes, split.footerCrc32c());
        SplitFooter footer = SplitFooter.parse(path, split.footerStart(), bytes);
        BundledFile meta =
                footer.files().stream()
                        .filter(file -> file.name().equals(IndexMeta.FILE))
                        .findFirst()
                        .orElseThrow(
                                () -> new CorruptException(path + ": has no " + IndexMeta.FILE));
        return IndexMeta.parse(
                path, objects.get(path, meta.start(), Math.toIntExact(meta.length())));
    }

    /** The footer's bytes; they end the file that was written. */
    static byte[] write(Path index, IndexMeta meta, byte[] hotcache, Path split)
            throws IOException {
        List<BundledFile> bundled = new ArrayList<>();
        try (FileChannel out =
                FileChannel.open(split, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE)) {
            for (String name : names(index, meta)) {
                long start = out.position();
                append(index.resolve(name), out);
                bundled.add(new BundledFile(name, start, out.position()));
            }
            long start = out.position();
            byte[] footer = new SplitFooter(start, start, bundled, hotcache).encode();
            ByteBuffer rest = ByteBuffer.wrap(footer);
            while (rest.hasRemaining()) {
                out.write(rest);
            }
            return footer;
        }
    }

    /** In name order; lock files stay behind. */
    private static List<String> names(Path index, IndexMeta meta) throws IOException {
        try (Stream<Path> files = Files.list(index)) {
            return files.map(file -> file.getFileName().toString())
                    .filter(
                            name ->
                                    name.startsWith(meta.segment())
                                            || name.equals(IndexMeta.FILE)
                                            || name.equals(IndexMeta.MANAGED_FILE))
                    .sorted()
                    .toList();
        }
    }

    private static void append(Path file, FileChannel out) throws IOException {
        try (FileChannel in = FileChannel.open(file)) {
            long size = in.size();
            for (long at = 0; at < size; ) {
                at += in.transferTo(at, size - at, out);
            }
        }
    }
}
