package io.loam.store;

import io.loam.codec.lance.LanceChecksum;
import io.loam.codec.lance.LanceManifest;
import io.loam.codec.manifest.CollectionManifest;
import io.loam.codec.manifest.CollectionPaths;
import io.loam.codec.manifest.ManifestProperties;
import io.loam.store.object.ObjectStore;
import io.loam.store.object.ParallelIo;

import java.io.IOException;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Reads row versions of a collection with the row ids of their fragments. Files of row ids never
 * change and belong to many versions, so that those read before are kept. May be used from any
 * thread.
 */
public final class RowVersions {
    /** The empty version that the dataset was made with. */
    private static final long MAINLINE = 1;

    /** Some hundred million rows of which a tenth is gone. */
    private static final long MOST_KEPT_BYTES = 64L << 20;

    private final ObjectStore objects;
    private final CollectionPaths paths;
    private final Map<String, byte[]> kept = new LinkedHashMap<>(16, 0.75f, true);
    private long keptBytes;

    RowVersions(ObjectStore objects, CollectionPaths paths) {
        this.objects = objects;
        this.paths = paths;
    }

    /** As {@link #read(CollectionManifest, ParallelIo)}, one object after the other. */
    public LanceManifest read(CollectionManifest manifest) throws IOException {
        return read(manifest, ParallelIo.inOrder());
    }

    /**
     * The row version that a manifest names, or the one all others descend from.
     *
     * @throws io.loam.codec.CorruptException if it is not the version that was published
     */
    public LanceManifest read(CollectionManifest manifest, ParallelIo reads) throws IOException {
        long version = manifest.lanceVersion();
        String path = paths.lanceVersion(version == 0 ? MAINLINE : version);
        byte[] file = objects.get(path);
        String checksum = manifest.properties().get(ManifestProperties.ROW_VERSION);
        LanceChecksum.check(checksum, version, file, path);
        return parse(file, path, reads);
    }

    /** A row version whose manifest was read already, or is not stored yet. */
    public LanceManifest parse(byte[] file, String path, ParallelIo reads) throws IOException {
        LanceManifest rows = LanceManifest.parse(file, path);
        List<String> names = rows.rowIdFiles();
        if (names.isEmpty()) {
            return rows;
        }
        Map<String, byte[]> files = new HashMap<>();
        List<byte[]> read = reads.map(names, this::rowIds);
        for (int i = 0; i < names.size(); i++) {
            files.put(names.get(i), read.get(i));
        }
        return rows.withRowIds(files::get);
    }

    private byte[] rowIds(String name) throws IOException {
        synchronized (kept) {
            byte[] known = kept.get(name);
            if (known != null) {
                return known;
            }
        }
        byte[] read = objects.get(paths.lance() + name);
        synchronized (kept) {
            byte[] before = kept.put(name, read);
            keptBytes += read.length - (before == null ? 0 : before.length);
            var oldest = kept.entrySet().iterator();
            while (keptBytes > MOST_KEPT_BYTES && kept.size() > 1) {
                keptBytes -= oldest.next().getValue().length;
                oldest.remove();
            }
        }
        return read;
    }
}
