package io.loam.store.erase;

import io.loam.codec.CorruptException;
import io.loam.codec.erase.ErasurePaths;
import io.loam.codec.key.InvalidKeyException;
import io.loam.codec.key.PrimaryKey;
import io.loam.codec.manifest.CollectionManifest;
import io.loam.codec.manifest.DeadLetter;
import io.loam.codec.manifest.DeadLetterCodec;
import io.loam.codec.manifest.ObjectShape;
import io.loam.codec.manifest.PkDelta;
import io.loam.codec.manifest.PkDeltaCodec;
import io.loam.codec.manifest.SplitRef;
import io.loam.codec.staged.DeadLetterPartCodec;
import io.loam.codec.staged.KeyChange;
import io.loam.codec.staged.KeyListCodec;
import io.loam.store.CollectionHandle;
import io.loam.store.chain.ManifestChain;
import io.loam.store.erase.Leftovers.Leftover;
import io.loam.store.hot.HotObjects;
import io.loam.store.metastore.Tag;
import io.loam.store.object.ObjectInfo;
import io.loam.store.object.ObjectNotFoundException;
import io.loam.store.spi.DecodedValues;
import io.loam.store.spi.Projection;
import io.loam.store.spi.RowCursor;
import io.loam.store.spi.RowSnapshot;
import io.loam.store.spi.SplitReader;
import io.loam.store.spi.StoredRow;
import io.loam.store.tag.Tags;

import javax.annotation.Nullable;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/**
 * Looks through every object of a collection, and through the records of erasures, for keys and for
 * byte sequences of erased documents:
 *
 * <pre>
 * every object              sequences in its bytes, and long keys
 * key deltas, key lists     keys
 * dead letters              keys
 * files of the row dataset  decoded: keys and sequences in every value, of deleted rows too
 * splits                    decoded: keys and sequences in stored fields and terms; those that
 *                           versions name are asked for keys by the engine, too
 * chunks of hot graphs      decompressed: sequences, also across two chunks of a file
 * </pre>
 *
 * Codes of vectors in an index cannot be told from others. An index that a version names was built
 * of its rows or of those of an elder one that is released now; one that none names is left.
 *
 * <p>Keys are recognised by their hashes where nobody gave them. Sequences that documents which are
 * live have as well are not looked for, as it could not be told whose they are. An object that
 * cannot be read counts as a leftover: nobody knows what is in it.
 */
public final class LeftoverScan {
    private static final int CHUNK = 8 << 20;
    private static final int MOST_FOUND = 100;

    private final CollectionHandle handle;
    private final ErasedKeys keys;
    private final ByteNeedles sequences;
    private final Set<PrimaryKey> writtenAgain;
    private final Map<String, SplitRef> splits = new HashMap<>();
    private final List<Leftover> found = new ArrayList<>();
    private String chunkedFile = "";
    private byte[] endOfChunk = new byte[0];
    private long count;
    private long objects;
    private long bytes;

    private LeftoverScan(
            CollectionHandle handle,
            ErasedKeys keys,
            ByteNeedles sequences,
            Set<PrimaryKey> writtenAgain) {
        this.handle = handle;
        this.keys = keys;
        this.sequences = sequences;
        this.writtenAgain = writtenAgain;
    }

    /**
     * Looks.
     *
     * @param sequences of erased documents, as {@link ErasedDocuments} or somebody else kept them
     */
    public static Leftovers of(
            CollectionHandle handle, ErasedKeys keys, Collection<byte[]> sequences)
            throws IOException {
        List<byte[]> all = new ArrayList<>(sequences);
        for (PrimaryKey key : keys.known()) {
            if (key.kind() != PrimaryKey.Kind.U64) {
                all.add(Arrays.copyOfRange(key.canonical(), 1, key.canonical().length));
            }
        }
        Set<PrimaryKey> again = new HashSet<>();
        ByteNeedles own = ownOnly(handle, keys, new ByteNeedles(all), again);
        return new LeftoverScan(handle, keys, own, again).run();
    }

    /** Without the sequences that live documents have as well. */
    private static ByteNeedles ownOnly(
            CollectionHandle handle, ErasedKeys keys, ByteNeedles all, Set<PrimaryKey> again)
            throws IOException {
        Set<byte[]> shared = new TreeSet<>(Arrays::compareUnsigned);
        try (RowSnapshot rows = handle.rows().open(handle.live().manifest(), handle.schema());
                RowCursor cursor = rows.scan(Projection.ALL, 0, 1)) {
            for (StoredRow row = cursor.next(); row != null; row = cursor.next()) {
                if (keys.holds(row.key().canonical())) {
                    again.add(row.key());
                }
                all.find(row.key().canonical(), shared::add);
                DocumentBytes.of(row, sequence -> all.find(sequence, shared::add));
            }
        }
        return new ByteNeedles(
                all.all().stream().filter(sequence -> !shared.contains(sequence)).toList());
    }

    private Leftovers run() throws IOException {
        List<ObjectInfo> listed = new ArrayList<>(handle.objects().list(handle.paths().root()));
        listed.addAll(handle.objects().list(handle.paths().keyIndex()));
        listed.addAll(handle.objects().list(ErasurePaths.ofNamespace(handle.info().namespaceId())));
        listed.sort(Comparator.comparing(ObjectInfo::path));
        lookAtVersions(listed);
        for (ObjectInfo object : listed) {
            Seen seen = new Seen(object.path());
            try {
                Contents contents = new Contents(object);
                raw(object, contents, seen);
                decoded(object.path(), contents, seen);
                objects++;
                bytes += object.size();
            } catch (ObjectNotFoundException e) {
                continue; // collected since it was listed
            } catch (CorruptException e) {
                seen.add("it cannot be read: " + e.getMessage());
            }
        }
        return new Leftovers(objects, bytes, sequences.count(), found, count, writtenAgain.size());
    }

    /** Splits that versions name can be asked for keys; indexes that none names are left. */
    private void lookAtVersions(List<ObjectInfo> listed) throws IOException {
        List<CollectionManifest> versions = new ArrayList<>();
        for (ManifestChain.Link link : ManifestChain.of(handle).retained()) {
            versions.add(link.manifest());
        }
        long oldestMs = versions.isEmpty() ? 0 : versions.get(versions.size() - 1).createdAtMs();
        Tags tags = new Tags(handle);
        for (Tag tag : tags.standing()) {
            versions.add(tags.open(tag));
        }
        for (CollectionManifest version : versions) {
            version.splits()
                    .forEach(split -> splits.put(handle.paths().split(split.ulid()), split));
        }
        StrayArtifacts strays = StrayArtifacts.find(handle, listed, versions);
        // What was begun later is built of versions that are retained.
        for (String prefix : strays.butAnnounced(timeMs -> timeMs >= oldestMs)) {
            new Seen(prefix).add(StrayArtifacts.LEFT);
        }
    }

    private void ask(String path, Seen seen) throws IOException {
        SplitRef split = splits.get(path);
        if (split == null || keys.known().isEmpty()) {
            return;
        }
        try (SplitReader reader = handle.splits().open(split, handle.schema(), null)) {
            for (PrimaryKey key : keys.known()) {
                if (reader.docsOfKey(key.canonical()).length > 0) {
                    seen.key(key);
                }
            }
        }
    }

    /** Each kind of finding once for each object. */
    private final class Seen implements DecodedValues {
        private final String path;
        private final Set<String> known = new HashSet<>();

        Seen(String path) {
            this.path = path;
        }

        void add(String what) {
            if (known.add(what)) {
                count++;
                if (found.size() < MOST_FOUND) {
                    found.add(new Leftover(path, what));
                }
            }
        }

        void key(PrimaryKey key) {
            if (!writtenAgain.contains(key) && keys.holds(key.canonical())) {
                add("an erased key");
            }
        }

        @Override
        public void value(byte[] value) {
            if (value.length > 0 && value.length <= PrimaryKey.MAX_STRING_BYTES + 1) {
                try {
                    key(PrimaryKey.parseCanonical(value));
                } catch (InvalidKeyException e) {
                    // Another kind of value.
                }
            }
            values(value);
        }

        @Override
        public void values(byte[] values) {
            sequences.find(
                    values,
                    sequence ->
                            add(
                                    "a sequence of "
                                            + sequence.length
                                            + " bytes of an erased document"));
        }
    }

    /** What is in an object, read when it is asked for, and once. */
    private final class Contents {
        private final ObjectInfo object;
        @Nullable private byte[] bytes;

        Contents(ObjectInfo object) {
            this.object = object;
        }

        byte[] get() throws IOException {
            if (bytes == null) {
                bytes = handle.objects().get(object.path());
            }
            return bytes;
        }
    }

    /** In pieces that overlap, so that nothing is missed between two. */
    private void raw(ObjectInfo object, Contents contents, Seen seen) throws IOException {
        if (object.size() <= CHUNK) {
            seen.values(contents.get());
            return;
        }
        int overlap = sequences.longest() - 1;
        for (long from = 0; from < object.size(); from += CHUNK) {
            long length = Math.min(CHUNK + (long) overlap, object.size() - from);
            seen.values(handle.objects().get(object.path(), from, Math.toIntExact(length)));
        }
    }

    private void decoded(String path, Contents contents, Seen seen) throws IOException {
        switch (ObjectShape.of(handle.paths(), path)) {
            case PK_DELTA:
                for (PkDelta.Entry entry : PkDeltaCodec.decode(contents.get(), path).entries()) {
                    seen.key(entry.key());
                }
                break;
            case STAGED_KEYS:
                for (KeyChange change : KeyListCodec.decode(contents.get(), path)) {
                    seen.key(change.key());
                }
                break;
            case DEAD_LETTERS:
                letters(DeadLetterCodec.decode(contents.get(), path), seen);
                break;
            case STAGED_DEAD_LETTERS:
                letters(DeadLetterPartCodec.decode(contents.get(), path), seen);
                break;
            case SPLIT:
                handle.splits().decode(path, seen);
                ask(path, seen);
                break;
            case LANCE:
                handle.rows().decode(path.substring(handle.paths().lance().length()), seen);
                break;
            case HOT:
                if (HotObjects.isChunk(path)) {
                    chunk(path, contents, seen);
                }
                break;
            default:
                break;
        }
    }

    /** With the end of the chunk before, which is the object before. */
    private void chunk(String path, Contents contents, Seen seen) throws IOException {
        byte[] content = HotObjects.content(contents.get(), path);
        String file = path.substring(0, path.lastIndexOf('.') + 1);
        byte[] before = file.equals(chunkedFile) ? endOfChunk : new byte[0];
        byte[] joined = Arrays.copyOf(before, before.length + content.length);
        System.arraycopy(content, 0, joined, before.length, content.length);
        seen.values(joined);
        chunkedFile = file;
        int overlap = sequences.longest() - 1;
        endOfChunk =
                Arrays.copyOfRange(joined, Math.max(0, joined.length - overlap), joined.length);
    }

    private static void letters(List<DeadLetter> letters, Seen seen) {
        for (DeadLetter letter : letters) {
            if (letter.key() != null) {
                seen.value(letter.key());
            }
        }
    }
}
