package io.loam.store.history;

import io.loam.codec.manifest.DeadLetter;
import io.loam.codec.manifest.DeadLetterCodec;
import io.loam.codec.manifest.FileChecksum;
import io.loam.codec.manifest.ManifestProperties;
import io.loam.store.CollectionHandle;
import io.loam.store.chain.ManifestChain;
import io.loam.store.chain.ManifestChain.Link;
import io.loam.store.object.ObjectStore;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/** Reads the records that were not applied, as far back as manifests are retained. */
public final class DeadLetters {
    private DeadLetters() {}

    /** A dead letter and the version whose commit met it. */
    public record Entry(long version, DeadLetter letter) {}

    /** Oldest version first; within a version by partition and offset. */
    public static List<Entry> read(CollectionHandle handle) throws IOException {
        return read(handle.objects(), ManifestChain.of(handle).retained());
    }

    /**
     * Those of given manifests.
     *
     * @param newestFirst as a chain gives them
     */
    public static List<Entry> read(ObjectStore objects, List<Link> newestFirst) throws IOException {
        List<Link> links = new ArrayList<>(newestFirst);
        Collections.reverse(links);
        List<Entry> entries = new ArrayList<>();
        for (Link link : links) {
            String path = link.manifest().deadLetters();
            if (!path.isEmpty()) {
                byte[] object = objects.get(path);
                List<DeadLetter> letters = DeadLetterCodec.decode(object, path);
                FileChecksum.check(
                        link.manifest().properties(),
                        ManifestProperties.DEAD_LETTERS,
                        path,
                        object);
                letters.forEach(letter -> entries.add(new Entry(link.version(), letter)));
            }
        }
        return entries;
    }
}
