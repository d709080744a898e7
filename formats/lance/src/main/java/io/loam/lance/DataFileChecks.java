package io.loam.lance;

import io.loam.codec.CorruptException;
import io.loam.codec.lance.IndexFile;
import io.loam.codec.lance.LanceIndexSegment;
import io.loam.store.object.DataFileCheck;
import io.loam.store.object.ObjectNotFoundException;
import io.loam.store.object.ObjectStore;
import io.loam.store.object.ParallelIo;

import java.io.IOException;
import java.net.URI;
import java.nio.file.Path;
import java.util.Collection;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Data files of a dataset that were read to their end and found to be what was written. Lance has
 * no checksums: over a flipped bit it gives another value, an error, or ends the process.
 */
final class DataFileChecks implements AutoCloseable {
    private static final int MOST_REMEMBERED = 100_000;

    private final ObjectStore objects;
    private final String dataset;
    private final boolean local;
    private final ParallelIo reads = new ParallelIo("lance-files");

    /** Files do not change, so that once is enough. */
    private final Set<String> checked =
            Collections.newSetFromMap(
                    Collections.synchronizedMap(
                            new LinkedHashMap<>() {
                                private static final long serialVersionUID = 1L;

                                @Override
                                protected boolean removeEldestEntry(
                                        Map.Entry<String, Boolean> eldest) {
                                    return size() > MOST_REMEMBERED;
                                }
                            }));

    /**
     * @param dataset path of the dataset, without a slash at the end
     * @param local whether to check at all; other stores check what they keep themselves, and
     *     reading whole objects there costs too much
     */
    DataFileChecks(ObjectStore objects, String dataset, boolean local) {
        this.objects = objects;
        this.dataset = dataset;
        this.local = local;
    }

    /**
     * Checks the files of an index segment against what its version says of them.
     *
     * @throws CorruptException naming the file that is damaged
     */
    void require(LanceIndexSegment segment) throws IOException {
        String folder = "_indices/" + segment.id() + "/";
        if (!local || checked.contains(folder)) {
            return;
        }
        for (IndexFile file : segment.files()) {
            String path = dataset + "/" + folder + file.name();
            long size =
                    objects.stat(path).orElseThrow(() -> new ObjectNotFoundException(path)).size();
            boolean same =
                    size == file.bytes()
                            && DataFileCheck.crc32c(objects, path, size) == file.crc32c();
            if (!same) {
                throw new CorruptException(
                        path
                                + ": has "
                                + size
                                + " bytes, which are not the "
                                + file.bytes()
                                + " of index "
                                + segment.name()
                                + " that were written; an exact search does not need it");
            }
        }
        checked.add(folder);
    }

    /**
     * @param file path under the dataset root
     * @throws CorruptException naming the file if it is damaged
     */
    void require(String file) throws IOException {
        require(List.of(file));
    }

    /** The same for several files, side by side. */
    void require(Collection<String> files) throws IOException {
        if (!local) {
            return;
        }
        List<String> unknown = files.stream().filter(file -> !checked.contains(file)).toList();
        reads.map(unknown, this::check);
    }

    private boolean check(String file) throws IOException {
        String path = dataset + "/" + file;
        DataFileCheck.check(Path.of(URI.create(objects.uri(path))), path);
        return checked.add(file);
    }

    @Override
    public void close() {
        reads.close();
    }
}
