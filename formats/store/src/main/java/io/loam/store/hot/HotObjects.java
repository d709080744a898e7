package io.loam.store.hot;

import io.loam.codec.CorruptException;
import io.loam.codec.Crc32c;
import io.loam.codec.hot.HotCoverageCodec;
import io.loam.codec.hot.HotDescriptor;
import io.loam.codec.hot.HotDescriptorCodec;
import io.loam.codec.hot.RowIdSet;
import io.loam.codec.manifest.CollectionPaths;
import io.loam.store.object.ObjectInfo;
import io.loam.store.object.ObjectNotFoundException;
import io.loam.store.object.ObjectStore;

import com.github.luben.zstd.Zstd;
import com.github.luben.zstd.ZstdException;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.zip.CRC32C;

/**
 * The objects of one hot artifact:
 *
 * <pre>
 * descriptor.bin                 what it is; stored last
 * covered.bin                    the rows it was built from
 * files/&lt;path&gt;.&lt;chunk:06&gt;         a file of the graph, in chunks, each compressed by itself (zstd)
 * </pre>
 */
public final class HotObjects {
    /** The kind in a manifest. */
    public static final String KIND = "hnsw";

    /** No reader takes larger chunks. */
    static final long MOST_CHUNK_BYTES = 256L << 20;

    /** A block of zstd has four bytes at least and holds 128 KiB at most. */
    private static final long MOST_FROM_ONE_BYTE = (128 << 10) / 4;

    private final ObjectStore objects;
    private final String prefix;

    /**
     * @param prefix ends with a slash
     */
    public HotObjects(ObjectStore objects, String prefix) {
        this.objects = objects;
        this.prefix = prefix;
    }

    public String descriptorPath() {
        return prefix + "descriptor.bin";
    }

    String coveredPath() {
        return prefix + "covered.bin";
    }

    String chunkPath(String file, int chunk) {
        return CollectionPaths.hotChunk(prefix, file, chunk);
    }

    /**
     * @throws ObjectNotFoundException if there is none
     * @throws CorruptException if it is damaged
     */
    public HotDescriptor descriptor() throws IOException {
        HotDescriptor descriptor =
                HotDescriptorCodec.decode(objects.get(descriptorPath()), descriptorPath());
        long chunkBytes = descriptor.chunkBytes();
        if (chunkBytes < 1 || chunkBytes > MOST_CHUNK_BYTES) {
            throw new CorruptException(
                    descriptorPath()
                            + ": chunks of "
                            + Long.toUnsignedString(chunkBytes)
                            + " bytes, expected 1 to "
                            + MOST_CHUNK_BYTES);
        }
        return descriptor;
    }

    /** The rows it was built from. */
    public RowIdSet covered(HotDescriptor descriptor) throws IOException {
        byte[] bytes = objects.get(coveredPath());
        if (bytes.length != descriptor.coveredBytes()
                || Crc32c.of(bytes) != descriptor.coveredCrc32c()) {
            throw new CorruptException(
                    coveredPath() + ": is not the object that " + descriptorPath() + " describes");
        }
        RowIdSet rows = HotCoverageCodec.decode(bytes, coveredPath());
        if (rows.count() != descriptor.scanned()) {
            throw new CorruptException(
                    coveredPath()
                            + ": holds "
                            + rows.count()
                            + " rows, "
                            + descriptorPath()
                            + " says "
                            + Long.toUnsignedString(descriptor.scanned()));
        }
        return rows;
    }

    /** Every object of an artifact. */
    Set<String> paths(HotDescriptor descriptor) {
        Set<String> paths = new TreeSet<>(List.of(descriptorPath(), coveredPath()));
        for (HotDescriptor.File file : descriptor.files()) {
            for (int chunk = 0; chunk < file.chunks(); chunk++) {
                paths.add(chunkPath(file.path(), chunk));
            }
        }
        return paths;
    }

    /** Those that are not there. */
    public List<String> missing(HotDescriptor descriptor) throws IOException {
        Set<String> there =
                objects.list(prefix).stream().map(ObjectInfo::path).collect(Collectors.toSet());
        return paths(descriptor).stream().filter(path -> !there.contains(path)).toList();
    }

    /**
     * The bytes of a chunk.
     *
     * @throws CorruptException naming the object if it cannot be one
     */
    byte[] chunk(HotDescriptor descriptor, HotDescriptor.File file, int chunk) throws IOException {
        String path = chunkPath(file.path(), chunk);
        byte[] compressed = objects.get(path);
        int size = chunkSize(descriptor, file, chunk);
        requirePossible(compressed, size, path);
        byte[] raw = new byte[size];
        long read;
        try {
            read = Zstd.decompressByteArray(raw, 0, size, compressed, 0, compressed.length);
        } catch (ZstdException e) {
            throw new CorruptException(path + ": is no chunk of a graph: " + e.getMessage(), e);
        }
        if (Zstd.isError(read) || read != size) {
            throw new CorruptException(
                    path
                            + ": "
                            + (Zstd.isError(read) ? Zstd.getErrorName(read) : read + " bytes")
                            + ", expected "
                            + size
                            + " bytes");
        }
        return raw;
    }

    /** Whether an object of a hot artifact is a chunk of one of its files. */
    public static boolean isChunk(String path) {
        return path.contains("/files/");
    }

    /**
     * The bytes of a chunk whose artifact may have no descriptor.
     *
     * @throws CorruptException naming the object if it cannot be one
     */
    public static byte[] content(byte[] compressed, String path) {
        // Of no bytes at all the library asks for the first one.
        long size = compressed.length == 0 ? -1 : Zstd.getFrameContentSize(compressed);
        if (size < 0 || size > MOST_CHUNK_BYTES) {
            throw new CorruptException(path + ": is no chunk of a graph");
        }
        requirePossible(compressed, size, path);
        try {
            return Zstd.decompress(compressed, (int) size);
        } catch (ZstdException e) {
            throw new CorruptException(path + ": is no chunk of a graph: " + e.getMessage(), e);
        }
    }

    /** Before so much memory is taken. */
    private static void requirePossible(byte[] compressed, long size, String path) {
        if (compressed.length == 0 || size > compressed.length * MOST_FROM_ONE_BYTE) {
            throw new CorruptException(
                    path
                            + ": is no chunk of a graph: "
                            + compressed.length
                            + " bytes cannot hold "
                            + size);
        }
    }

    static int chunkSize(HotDescriptor descriptor, HotDescriptor.File file, int chunk) {
        long begin = chunk * descriptor.chunkBytes();
        return (int) Math.min(descriptor.chunkBytes(), file.size() - begin);
    }

    /**
     * Reads the whole artifact and compares it with its checksums.
     *
     * @return what is wrong
     */
    public List<String> damage() throws IOException {
        List<String> damage = new ArrayList<>();
        try {
            HotDescriptor descriptor = descriptor();
            List<String> missing = missing(descriptor);
            missing.forEach(path -> damage.add(path + ": is gone"));
            if (missing.isEmpty()) {
                covered(descriptor);
                for (HotDescriptor.File file : descriptor.files()) {
                    check(descriptor, file);
                }
            }
        } catch (CorruptException e) {
            damage.add(e.getMessage());
        } catch (ObjectNotFoundException e) {
            damage.add(descriptorPath() + ": is gone");
        }
        return damage;
    }

    private void check(HotDescriptor descriptor, HotDescriptor.File file) throws IOException {
        CRC32C crc = new CRC32C();
        for (int chunk = 0; chunk < file.chunks(); chunk++) {
            crc.update(chunk(descriptor, file, chunk));
        }
        requireCrc(file, (int) crc.getValue());
    }

    /**
     * @throws CorruptException if a file has another checksum than the descriptor says
     */
    void requireCrc(HotDescriptor.File file, int actual) {
        if (actual != file.crc32c()) {
            throw new CorruptException(
                    String.format(
                            "%sfiles/%s: crc32c is %08x, expected %08x",
                            prefix, file.path(), actual, file.crc32c()));
        }
    }
}
