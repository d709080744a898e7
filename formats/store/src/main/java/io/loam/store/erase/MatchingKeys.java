package io.loam.store.erase;

import io.loam.codec.Ulid;
import io.loam.codec.key.PrimaryKey;
import io.loam.codec.manifest.CollectionManifest;
import io.loam.codec.manifest.SplitRef;
import io.loam.store.CollectionHandle;
import io.loam.store.chain.ManifestChain;
import io.loam.store.metastore.Tag;
import io.loam.store.query.SearchQuery;
import io.loam.store.read.CollectionReader;
import io.loam.store.spi.Projection;
import io.loam.store.spi.StoredRow;
import io.loam.store.tag.Tags;

import java.io.IOException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

/**
 * Finds the documents of an erasure by a query: those that match in the live version, in a version
 * that is retained, or in a tagged one.
 *
 * <p>A split is searched once, as the oldest retained version has it: splits do not change, and of
 * a split's documents there are never more alive later. So it costs a search of each split there is
 * and not of each version.
 *
 * @param keys of documents that match now, or matched and are gone now
 * @param changed keys of documents that matched, are there, and do not match any more
 */
public record MatchingKeys(Set<PrimaryKey> keys, Set<PrimaryKey> changed) {

    /** Looks. */
    public static MatchingKeys of(CollectionHandle handle, SearchQuery query) throws IOException {
        Set<PrimaryKey> past = new TreeSet<>();
        Search search = new Search(handle, query);
        List<ManifestChain.Link> versions = ManifestChain.of(handle).retained();
        for (int age = versions.size() - 1; age >= 0; age--) {
            past.addAll(search.newSplits(versions.get(age).manifest()));
        }
        Tags tags = new Tags(handle);
        for (Tag tag : tags.standing()) {
            past.addAll(search.all(tags.open(tag)));
        }
        Set<PrimaryKey> keys = new TreeSet<>();
        Set<PrimaryKey> changed = new TreeSet<>();
        try (CollectionReader live = CollectionReader.open(handle)) {
            keys.addAll(keysOf(live, live.rowsMatching(query)));
            past.removeAll(keys);
            for (PrimaryKey key : past) {
                boolean there = live.get(key, Projection.KEYS).isPresent();
                (there ? changed : keys).add(key);
            }
        }
        return new MatchingKeys(keys, changed);
    }

    private static List<PrimaryKey> keysOf(CollectionReader reader, long[] rows)
            throws IOException {
        return rows.length == 0
                ? List.of()
                : reader.rows().takeAll(rows, Projection.KEYS).stream()
                        .map(StoredRow::key)
                        .toList();
    }

    private static final class Search {
        private final CollectionHandle handle;
        private final SearchQuery query;
        private final Set<Ulid> searched = new HashSet<>();

        Search(CollectionHandle handle, SearchQuery query) {
            this.handle = handle;
            this.query = query;
        }

        List<PrimaryKey> newSplits(CollectionManifest version) throws IOException {
            List<SplitRef> splits = version.splits();
            boolean known = splits.stream().allMatch(split -> searched.contains(split.ulid()));
            List<PrimaryKey> found = new ArrayList<>();
            if (known) {
                return found;
            }
            try (CollectionReader reader = CollectionReader.of(handle, version)) {
                for (int split = 0; split < splits.size(); split++) {
                    if (searched.add(splits.get(split).ulid())) {
                        found.addAll(keysOf(reader, reader.rowsMatching(split, query)));
                    }
                }
            }
            return found;
        }

        /** A copy that an erasure made may have fewer documents alive than elder versions. */
        List<PrimaryKey> all(CollectionManifest version) throws IOException {
            try (CollectionReader reader = CollectionReader.of(handle, version)) {
                return keysOf(reader, reader.rowsMatching(query));
            }
        }
    }
}
