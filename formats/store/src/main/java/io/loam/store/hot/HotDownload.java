package io.loam.store.hot;

import io.loam.codec.hot.HotDescriptor;
import io.loam.store.object.DataFileCheck;
import io.loam.store.object.ParallelIo;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.stream.IntStream;

/** Brings the files of a graph to local disk and compares them with their checksums. */
final class HotDownload {
    /** Chunks in memory at a time. */
    private static final int AT_ONCE = 3;

    private final HotObjects objects;
    private final HotDescriptor descriptor;
    private final ParallelIo reads;

    HotDownload(HotObjects objects, HotDescriptor descriptor, ParallelIo reads) {
        this.objects = objects;
        this.descriptor = descriptor;
        this.reads = reads;
    }

    /**
     * @throws IOException also if there is not enough space
     * @throws io.loam.codec.CorruptException naming what is damaged
     */
    void to(Path dir) throws IOException {
        requireSpace(dir);
        for (HotDescriptor.File file : descriptor.files()) {
            Path local = dir.resolve(file.path());
            Files.createDirectories(local.getParent());
            download(file, local);
            objects.requireCrc(file, DataFileCheck.crc32c(local));
        }
    }

    private void requireSpace(Path dir) throws IOException {
        long bytes = descriptor.files().stream().mapToLong(HotDescriptor.File::size).sum();
        long free = Files.getFileStore(dir).getUsableSpace();
        if (bytes < 0 || bytes > free) {
            throw new IOException(
                    objects.descriptorPath()
                            + ": the graph has "
                            + Long.toUnsignedString(bytes)
                            + " bytes, and "
                            + dir
                            + " has only "
                            + free
                            + " left; make room, or search with --exact meanwhile");
        }
    }

    private void download(HotDescriptor.File file, Path local) throws IOException {
        try (FileChannel out =
                FileChannel.open(local, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE)) {
            for (int first = 0; first < file.chunks(); first += AT_ONCE) {
                List<Integer> chunks =
                        IntStream.range(first, Math.min(first + AT_ONCE, file.chunks()))
                                .boxed()
                                .toList();
                reads.map(
                        chunks,
                        chunk -> {
                            write(out, objects.chunk(descriptor, file, chunk), chunk);
                            return null;
                        });
            }
        }
    }

    private void write(FileChannel out, byte[] bytes, int chunk) throws IOException {
        ByteBuffer buffer = ByteBuffer.wrap(bytes);
        long at = chunk * descriptor.chunkBytes();
        while (buffer.hasRemaining()) {
            at += out.write(buffer, at);
        }
    }
}
