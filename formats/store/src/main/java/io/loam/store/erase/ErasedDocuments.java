package io.loam.store.erase;

import io.loam.codec.CorruptException;
import io.loam.codec.Ulid;
import io.loam.codec.key.PrimaryKey;
import io.loam.codec.lance.LanceFragment;
import io.loam.codec.manifest.CollectionManifest;
import io.loam.codec.manifest.CommitKind;
import io.loam.codec.manifest.SplitRef;
import io.loam.store.CollectionHandle;
import io.loam.store.chain.ManifestChain;
import io.loam.store.chain.ManifestChain.Link;
import io.loam.store.metastore.Tag;
import io.loam.store.object.ObjectNotFoundException;
import io.loam.store.spi.Projection;
import io.loam.store.spi.RowCursor;
import io.loam.store.spi.RowSnapshot;
import io.loam.store.spi.StoredRow;
import io.loam.store.tag.Tags;

import java.io.IOException;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Predicate;
import java.util.stream.Collectors;

/**
 * Keeps in memory by what the documents of an erasure can be known again, while they are there: of
 * the live version and of every tagged one, of those whose next one has not all their files, and of
 * the oldest one retained; and of documents that are deleted but still in a data file of these.
 */
public final class ErasedDocuments {
    private static final String DATA = "data/";

    private final Set<byte[]> sequences = new TreeSet<>(Arrays::compareUnsigned);
    private final Set<String> files = new HashSet<>();
    private int count;
    private int unread;

    /**
     * Reads the documents of keys.
     *
     * @param keys whether a key is one of them
     */
    public static ErasedDocuments read(CollectionHandle handle, Predicate<PrimaryKey> keys)
            throws IOException {
        ErasedDocuments documents = new ErasedDocuments();
        List<Link> versions = ManifestChain.of(handle).retained();
        documents.add(handle, handle.live().manifest(), keys);
        Tags tags = new Tags(handle);
        for (Tag tag : tags.standing()) {
            documents.add(handle, tags.open(tag), keys);
        }
        for (int age = versions.size() - 1; age > 0; age--) {
            CollectionManifest version = versions.get(age).manifest();
            if (age == versions.size() - 1
                    || takesAway(versions.get(age - 1).manifest(), version)) {
                documents.addIfReadable(handle, version, keys);
            }
        }
        return documents;
    }

    /** Whether files of a version are not of the next one: side jobs, or all their rows deleted. */
    private static boolean takesAway(CollectionManifest next, CollectionManifest version) {
        return next.kind() == CommitKind.MAINTENANCE || !ulids(next).containsAll(ulids(version));
    }

    private static Set<Ulid> ulids(CollectionManifest version) {
        return version.splits().stream().map(SplitRef::ulid).collect(Collectors.toSet());
    }

    /**
     * An older version may be damaged, or collected meanwhile. That must not stop an erasure, which
     * throws it away.
     */
    private void addIfReadable(
            CollectionHandle handle, CollectionManifest version, Predicate<PrimaryKey> keys)
            throws IOException {
        try {
            add(handle, version, keys);
        } catch (ObjectNotFoundException | CorruptException e) {
            unread++;
        }
    }

    private void add(
            CollectionHandle handle, CollectionManifest version, Predicate<PrimaryKey> keys)
            throws IOException {
        if (version.lanceVersion() == 0) {
            return;
        }
        for (LanceFragment fragment : handle.rowVersions().read(version).fragments()) {
            for (String file : fragment.dataFiles()) {
                if (fragment.dataFiles().size() == 1 && files.add(file)) {
                    add(handle, file.substring(DATA.length()), fragment.physicalRows(), keys);
                }
            }
        }
    }

    private void add(CollectionHandle handle, String file, long rows, Predicate<PrimaryKey> keys)
            throws IOException {
        try (RowSnapshot snapshot = handle.rows().openFile(file, 0, rows, handle.schema());
                RowCursor cursor = snapshot.scan(Projection.ALL, 0, 1)) {
            for (StoredRow row = cursor.next(); row != null; row = cursor.next()) {
                if (keys.test(row.key())) {
                    count++;
                    DocumentBytes.of(row, this::addTelling);
                }
            }
        }
    }

    private void addTelling(byte[] sequence) {
        if (ByteNeedles.isTelling(sequence)) {
            sequences.add(sequence);
        }
    }

    /** Documents that were found; each version of one counts. */
    public int count() {
        return count;
    }

    /** Older versions that could not be read: what only they hold is not known. */
    public int unread() {
        return unread;
    }

    public Collection<byte[]> sequences() {
        return sequences;
    }
}
