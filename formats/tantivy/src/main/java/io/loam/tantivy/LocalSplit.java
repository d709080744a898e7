package io.loam.tantivy;

import io.loam.codec.CorruptException;
import io.loam.codec.manifest.SplitRef;
import io.loam.codec.split.Hotcache;
import io.loam.codec.split.SplitFooter;
import io.loam.codec.split.SplitFooter.BundledFile;
import io.loam.store.LocalFiles;
import io.loam.store.object.ObjectStore;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** A split's files in a local directory, every one checked. Costs one read of the object. */
record LocalSplit(
        Path directory, IndexMeta meta, long footerStart, long footerEnd, int footerCrc32c) {

    private static final List<String> SEGMENT_SUFFIXES =
            List.of(".fast", ".fieldnorm", ".idx", ".pos", ".store", ".term");

    /**
     * @param directory does not exist yet
     * @throws CorruptException if the object is not the split
     */
    static LocalSplit load(ObjectStore objects, String path, SplitRef ref, Path directory)
            throws IOException {
        SplitFooter.checkRange(path, ref.footerStart(), ref.footerEnd(), ref.sizeBytes());
        try {
            Files.createDirectory(directory);
            Optional<Path> local = objects.localFile(path);
            if (local.isPresent()) {
                try {
                    return extract(local.get(), path, ref, directory);
                } catch (IOException e) {
                    // The store tries again what may pass, and knows how to say what does not.
                    LocalFiles.delete(directory);
                    Files.createDirectory(directory);
                }
            }
            Path object = directory.resolve("object");
            objects.download(path, object);
            LocalSplit split = extract(object, path, ref, directory);
            Files.delete(object);
            return split;
        } catch (IOException | RuntimeException e) {
            LocalFiles.delete(directory);
            throw e;
        }
    }

    /** Takes the files out of the object, each checked while it is copied. */
    private static LocalSplit extract(Path object, String path, SplitRef ref, Path directory)
            throws IOException {
        try (FileChannel from = FileChannel.open(object)) {
            byte[] bytes = footer(from, path, ref);
            SplitFooter.checkCrc(path, bytes, ref.footerCrc32c());
            SplitFooter footer = SplitFooter.parse(path, ref.footerStart(), bytes);
            Hotcache.parse(path, footer.hotcache());
            IndexMeta meta = meta(from, file(path, footer, IndexMeta.FILE), path, ref);
            List<String> names = new ArrayList<>();
            for (String suffix : SEGMENT_SUFFIXES) {
                String name = meta.segment() + suffix;
                BundledFile file = file(path, footer, name);
                SegmentFile.copy(
                        path + ": " + name,
                        from,
                        file.start(),
                        file.end(),
                        directory.resolve(name));
                names.add(name);
            }
            names.add(IndexMeta.FILE);
            Files.write(directory.resolve(IndexMeta.FILE), meta.withoutDeletes());
            Files.write(directory.resolve(IndexMeta.MANAGED_FILE), IndexMeta.managed(names));
            return new LocalSplit(
                    directory, meta, footer.start(), footer.end(), SplitFooter.crc32c(bytes));
        }
    }

    private static BundledFile file(String path, SplitFooter footer, String name) {
        return footer.files().stream()
                .filter(file -> file.name().equals(name))
                .findFirst()
                .orElseThrow(() -> new CorruptException(path + ": the split has no " + name));
    }

    private static IndexMeta meta(FileChannel object, BundledFile file, String path, SplitRef ref)
            throws IOException {
        byte[] bytes =
                SegmentFile.read(object, file.start(), Math.toIntExact(file.length())).array();
        IndexMeta meta = IndexMeta.parse(path, bytes);
        if (meta.docCount() != ref.docCount()) {
            throw new CorruptException(
                    path
                            + ": the split has "
                            + meta.docCount()
                            + " documents, expected "
                            + ref.docCount());
        }
        return meta;
    }

    private static byte[] footer(FileChannel object, String path, SplitRef ref) throws IOException {
        if (object.size() != ref.footerEnd()) {
            throw new CorruptException(
                    path + ": " + object.size() + " bytes, expected " + ref.footerEnd());
        }
        ByteBuffer footer = ByteBuffer.allocate((int) (ref.footerEnd() - ref.footerStart()));
        while (footer.hasRemaining()) {
            if (object.read(footer, ref.footerStart() + footer.position()) < 0) {
                throw new CorruptException(path + ": the object ended within its footer");
            }
        }
        return footer.array();
    }

    /**
     * Checks that this is what a reference names, without reading the object again.
     *
     * @throws CorruptException if it is not
     */
    void checkNamedBy(String path, SplitRef ref) {
        SplitFooter.checkRange(path, ref.footerStart(), ref.footerEnd(), ref.sizeBytes());
        boolean same =
                ref.footerStart() == footerStart
                        && ref.footerEnd() == footerEnd
                        && ref.docCount() == meta.docCount()
                        && (ref.footerCrc32c() == 0 || ref.footerCrc32c() == footerCrc32c);
        if (!same) {
            throw new CorruptException(path + ": the object is not the split that is named");
        }
    }

    /** Bytes on local disk. */
    long bytes() {
        return footerStart;
    }
}
