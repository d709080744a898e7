package io.loam.flink.connector.source;

import io.loam.codec.manifest.CollectionManifest;
import io.loam.codec.manifest.SplitRef;
import io.loam.flink.connector.source.CollectionSplit.Kind;
import io.loam.flink.operators.CollectionOpener;
import io.loam.flink.operators.OpenedCollection;
import io.loam.store.CollectionHandle;
import io.loam.store.chain.ManifestChain;
import io.loam.store.chain.ManifestFollower;
import io.loam.store.tag.Tags;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * Plans the splits of a scan from the manifest of the version to read; no row and no index is
 * opened for that.
 */
final class ScanPlanner {
    private final CollectionHandle collection;
    private final ScanSettings settings;
    private final CollectionManifest manifest;

    private ScanPlanner(
            CollectionHandle collection, ScanSettings settings, CollectionManifest manifest) {
        this.collection = collection;
        this.settings = settings;
        this.manifest = manifest;
    }

    /**
     * The splits of a scan that starts.
     *
     * @throws io.loam.store.chain.SnapshotExpiredException if the version to read, or after which
     *     changes are to be read, is not retained
     */
    static ScanState plan(CollectionOpener opener, ScanSettings settings, int parallelism)
            throws IOException {
        try (OpenedCollection opened = opener.open()) {
            CollectionHandle collection = opened.collection();
            CollectionManifest manifest = manifest(collection, settings);
            List<CollectionSplit> splits = new ArrayList<>();
            if (settings.mode() == ScanMode.DEFAULT || settings.mode() == ScanMode.FULL) {
                new ScanPlanner(collection, settings, manifest).rows().forEach(splits::add);
            }
            boolean scanned = splits.isEmpty();
            if (settings.mode().isUnbounded()) {
                for (int part = 0; part < parallelism; part++) {
                    splits.add(CollectionSplit.changes(manifest.version(), part, parallelism));
                }
            }
            return new ScanState(scanned, splits);
        }
    }

    private static CollectionManifest manifest(CollectionHandle collection, ScanSettings settings)
            throws IOException {
        if (settings.mode() == ScanMode.FROM_VERSION) {
            ManifestFollower follower = ManifestFollower.at(collection, settings.version());
            CollectionManifest start = follower.current();
            follower.next(); // fails now if it is not retained
            return start;
        }
        if (settings.timestampMs() != null) {
            return ManifestChain.of(collection).openAsOf(settings.timestampMs());
        }
        return settings.version() == null
                ? collection.liveWhenOpened().manifest()
                : new Tags(collection).openVersion(settings.version());
    }

    private Stream<CollectionSplit> rows() throws IOException {
        if (settings.counted()) {
            return Stream.of(split(Kind.COUNT, manifest.liveDocCount()));
        }
        if (manifest.liveDocCount() == 0) {
            return Stream.empty();
        }
        if (settings.keys() != null) {
            return settings.keys().isEmpty() ? Stream.empty() : Stream.of(split(Kind.KEYS, 0));
        }
        if (settings.filter() != null && isWholeIndex()) {
            return IntStream.range(0, manifest.splits().size())
                    .filter(index -> manifest.splits().get(index).liveCount() > 0)
                    .mapToObj(index -> split(Kind.MATCHES, index));
        }
        return collection.rows().files(manifest).stream()
                .map(file -> split(Kind.FILE, Integer.toUnsignedLong(file)));
    }

    /** A row that no split had a document of would be lost. */
    private boolean isWholeIndex() {
        return manifest.splits().stream().mapToLong(SplitRef::liveCount).sum()
                == manifest.liveDocCount();
    }

    private CollectionSplit split(Kind kind, long number) {
        return CollectionSplit.of(kind, manifest.version(), number);
    }
}
