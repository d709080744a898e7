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
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

/** A split's files in a local directory, every one checked. Costs one read of the object. */
record LocalSplit(
        Path directory, IndexMeta meta, long footerStart, long footerEnd, int footerCrc32c) {

    private static final Set<String> SEGMENT_SUFFIXES =
            Set.of(".fast", ".fieldnorm", ".idx", ".pos", ".store", ".term");

    /**
     * @param directory does not exist yet
     * @throws CorruptException if the object is not the split
     */
    static LocalSplit load(ObjectStore objects, String path, SplitRef ref, Path directory)
            throws IOException {
        SplitFooter.checkRange(path, ref.footerStart(), ref.footerEnd(), ref.sizeBytes());
        try {
            Files.createDirectory(directory);
            Path object = directory.resolve("object");
            objects.download(path, object);
            byte[] bytes;
            SplitFooter footer;
            try (FileChannel from = FileChannel.open(object)) {
                bytes = footer(from, path, ref);
                SplitFooter.checkCrc(path, bytes, ref.footerCrc32c());
                footer = SplitFooter.parse(path, ref.footerStart(), bytes);
                Hotcache.parse(path, footer.hotcache());
                extract(from, footer, directory);
            }
            Files.delete(object);
            IndexMeta meta = checkFiles(path, ref, directory);
            return new LocalSplit(
                    directory, meta, footer.start(), footer.end(), SplitFooter.crc32c(bytes));
        } catch (IOException | RuntimeException e) {
            LocalFiles.delete(directory);
            throw e;
        }
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

    private static void extract(FileChannel object, SplitFooter footer, Path directory)
            throws IOException {
        for (BundledFile file : footer.files()) {
            if (isNeeded(file.name())) {
                copy(object, file, directory.resolve(file.name()));
            }
        }
    }

    private static boolean isNeeded(String name) {
        return name.equals(IndexMeta.FILE) || SEGMENT_SUFFIXES.stream().anyMatch(name::endsWith);
    }

    private static void copy(FileChannel from, BundledFile file, Path to) throws IOException {
        try (FileChannel out =
                FileChannel.open(to, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE)) {
            for (long at = file.start(); at < file.end(); ) {
                at += from.transferTo(at, file.end() - at, out);
            }
        }
    }

    private static IndexMeta checkFiles(String path, SplitRef ref, Path directory)
            throws IOException {
        Path metaFile = directory.resolve(IndexMeta.FILE);
        if (Files.notExists(metaFile)) {
            throw new CorruptException(path + ": the split has no " + IndexMeta.FILE);
        }
        IndexMeta meta = IndexMeta.parse(path, Files.readAllBytes(metaFile));
        if (meta.docCount() != ref.docCount()) {
            throw new CorruptException(
                    path
                            + ": the split has "
                            + meta.docCount()
                            + " documents, expected "
                            + ref.docCount());
        }
        List<String> names = new ArrayList<>();
        for (String suffix : new TreeSet<>(SEGMENT_SUFFIXES)) {
            String name = meta.segment() + suffix;
            Path file = directory.resolve(name);
            if (Files.notExists(file)) {
                throw new CorruptException(path + ": the split has no " + name);
            }
            SegmentFile.check(path + ": " + name, file);
            names.add(name);
        }
        names.add(IndexMeta.FILE);
        Files.write(metaFile, meta.withoutDeletes());
        Files.write(directory.resolve(IndexMeta.MANAGED_FILE), IndexMeta.managed(names));
        return meta;
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
