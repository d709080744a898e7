package io.loam.tantivy;

import io.loam.codec.Ulid;
import io.loam.codec.manifest.SplitRef;
import io.loam.store.LocalFiles;
import io.loam.store.object.ObjectStore;

import javax.annotation.Nullable;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Local copies of splits. A copy in use stays; of the others, the most recently used are kept as
 * long as all copies together fit the limit. Thread-safe.
 */
final class SplitCache {
    private static final class Entry {
        private int users;
        @Nullable private LocalSplit split;
    }

    private final ObjectStore objects;
    private final Path root;
    private final long maxBytes;

    /** In order of use, oldest first. */
    private final Map<Ulid, Entry> entries = new LinkedHashMap<>(16, 0.75f, true);

    private long nextDirectory;

    SplitCache(ObjectStore objects, long maxBytes) throws IOException {
        this.objects = objects;
        this.root = Files.createTempDirectory("loam-splits");
        this.maxBytes = maxBytes;
    }

    Path root() {
        return root;
    }

    /** The local copy of a split, to be given back by {@link #release}. */
    LocalSplit acquire(String path, SplitRef ref) throws IOException {
        Entry entry;
        synchronized (this) {
            entry = entries.computeIfAbsent(ref.ulid(), ignored -> new Entry());
            entry.users++;
        }
        try {
            // One thread loads, others that want the same split wait for it.
            synchronized (entry) {
                if (entry.split == null) {
                    entry.split = LocalSplit.load(objects, path, ref, newDirectory());
                } else {
                    entry.split.checkNamedBy(path, ref);
                }
                return entry.split;
            }
        } catch (IOException | RuntimeException e) {
            release(ref.ulid());
            throw e;
        }
    }

    void release(Ulid ulid) throws IOException {
        List<LocalSplit> evicted;
        synchronized (this) {
            Entry entry = entries.get(ulid);
            entry.users--;
            if (entry.users == 0 && entry.split == null) {
                entries.remove(ulid);
            }
            evicted = evict();
        }
        for (LocalSplit split : evicted) {
            LocalFiles.delete(split.directory());
        }
    }

    private List<LocalSplit> evict() {
        long bytes = 0;
        for (Entry entry : entries.values()) {
            bytes += entry.split == null ? 0 : entry.split.bytes();
        }
        List<LocalSplit> evicted = new ArrayList<>();
        var oldest = entries.values().iterator();
        while (bytes > maxBytes && oldest.hasNext()) {
            Entry entry = oldest.next();
            if (entry.users == 0) {
                oldest.remove();
                bytes -= entry.split.bytes();
                evicted.add(entry.split);
            }
        }
        return evicted;
    }

    /** Deletes the copies of splits that are not named and that nobody uses. */
    void evictOthers(Set<Ulid> named) throws IOException {
        List<LocalSplit> evicted = new ArrayList<>();
        synchronized (this) {
            var all = entries.entrySet().iterator();
            while (all.hasNext()) {
                Map.Entry<Ulid, Entry> entry = all.next();
                boolean idle = entry.getValue().users == 0 && entry.getValue().split != null;
                if (idle && !named.contains(entry.getKey())) {
                    evicted.add(entry.getValue().split);
                    all.remove();
                }
            }
        }
        for (LocalSplit split : evicted) {
            LocalFiles.delete(split.directory());
        }
    }

    /** A path below the cache's directory that does not exist yet. */
    synchronized Path newDirectory() {
        return root.resolve(Long.toString(nextDirectory++));
    }

    /** Deletes every copy. */
    void close() throws IOException {
        LocalFiles.delete(root);
    }
}
