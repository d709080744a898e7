package io.loam.store.hot;

import io.loam.codec.Crc32c;
import io.loam.codec.hot.HotCoverageCodec;
import io.loam.codec.hot.HotDescriptor;
import io.loam.codec.hot.HotDescriptorCodec;
import io.loam.codec.hot.RowIdSet;
import io.loam.store.object.ObjectStore;

import com.github.luben.zstd.Zstd;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BiFunction;
import java.util.stream.Stream;
import java.util.zip.CRC32C;

/** Stores a finished graph as the objects of a hot artifact. */
public final class HotUpload {
    /** One chunk is in memory at a time, raw and compressed. */
    private static final int CHUNK_BYTES = 32 << 20;

    private static final int LEVEL = 3;

    private final ObjectStore objects;
    private final HotObjects names;
    private final int chunkBytes;

    /**
     * @param prefix of the artifact, ends with a slash; holds nothing yet
     */
    public HotUpload(ObjectStore objects, String prefix) {
        this(objects, prefix, CHUNK_BYTES);
    }

    HotUpload(ObjectStore objects, String prefix, int chunkBytes) {
        this.objects = objects;
        this.names = new HotObjects(objects, prefix);
        this.chunkBytes = chunkBytes;
    }

    /** The rest of a descriptor, for what has been stored. */
    public interface Described
            extends BiFunction<List<HotDescriptor.File>, HotUpload.Stored, HotDescriptor> {}

    /** The object of covered rows, and the size of chunks. */
    public record Stored(long coveredBytes, int coveredCrc32c, long chunkBytes) {}

    /**
     * Stores everything, the descriptor last.
     *
     * @param dir the graph's files
     */
    public HotDescriptor store(Path dir, RowIdSet covered, Described described) throws IOException {
        List<Path> paths;
        try (Stream<Path> walk = Files.walk(dir)) {
            paths = walk.filter(Files::isRegularFile).sorted().toList();
        }
        List<HotDescriptor.File> files = new ArrayList<>();
        for (Path path : paths) {
            files.add(storeFile(path, dir.relativize(path).toString()));
        }
        byte[] rows = HotCoverageCodec.encode(covered);
        objects.put(names.coveredPath(), rows);
        HotDescriptor descriptor =
                described.apply(files, new Stored(rows.length, Crc32c.of(rows), chunkBytes));
        objects.put(names.descriptorPath(), HotDescriptorCodec.encode(descriptor));
        return descriptor;
    }

    private HotDescriptor.File storeFile(Path file, String name) throws IOException {
        CRC32C crc = new CRC32C();
        long size = 0;
        int chunks = 0;
        try (InputStream in = Files.newInputStream(file)) {
            while (true) {
                byte[] chunk = in.readNBytes(chunkBytes);
                if (chunk.length == 0 && chunks > 0) {
                    break;
                }
                crc.update(chunk);
                size += chunk.length;
                objects.put(names.chunkPath(name, chunks), Zstd.compress(chunk, LEVEL));
                chunks++;
                if (chunk.length < chunkBytes) {
                    break;
                }
            }
        }
        return new HotDescriptor.File(name, size, (int) crc.getValue(), chunks);
    }
}
