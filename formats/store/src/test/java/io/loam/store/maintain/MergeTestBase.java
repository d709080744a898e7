package io.loam.store.maintain;

import io.loam.codec.json.Json;
import io.loam.codec.key.PrimaryKey;
import io.loam.codec.manifest.SplitRef;
import io.loam.codec.manifest.TaskKeys;
import io.loam.store.maintain.FinishedWork.MergedSplits;
import io.loam.store.maintain.MaintenanceTask.MergeSplits;
import io.loam.store.read.CollectionReader;
import io.loam.store.spi.Projection;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.stream.Stream;

/** A collection, its writer, and merges of its splits step by step. */
abstract class MergeTestBase extends MaintenanceTestBase {
    static final MaintenanceOptions OPTIONS =
            MaintenanceOptions.of("merger/01")
                    .withMerge(MergePolicy.DEFAULT.withFactors(2, 4).withPurge(1, 300_000))
                    .withCompaction(CompactionPolicy.DEFAULT.withEnabled(false))
                    .withRowsPerRead(3);

    List<SplitRef> splits() throws IOException {
        return live().splits();
    }

    /** So many splits of four documents, with keys from 0. */
    void fill(int splits) throws IOException {
        for (int key = 0; key < 4 * splits; key++) {
            collection.upsert(key, "{\"n\":" + key + "}");
            if (key % 4 == 3) {
                apply();
            }
        }
    }

    MergeSplits mergeOfAll() throws IOException {
        return new MergeSplits(splits().stream().map(SplitRef::ulid).toList());
    }

    MergedSplits run(MaintenanceTask task) throws IOException {
        return (MergedSplits) run(OPTIONS, task);
    }

    MaintenanceOutcome publish(FinishedWork... works) throws IOException {
        return publish(OPTIONS, works);
    }

    MaintenanceOutcome publish(MaintenanceOptions options, FinishedWork... works)
            throws IOException {
        return publish(options, TaskKeys.mergeSplits(live().collectionId()), works);
    }

    /** As somebody who does not hold the lease of merges. */
    MaintenanceOutcome publishAsRival(FinishedWork... works) throws IOException {
        return publish(OPTIONS, TaskKeys.compact(live().collectionId()), works);
    }

    List<Long> keys() throws IOException {
        try (CollectionReader reader = CollectionReader.open(collection.open())) {
            return Stream.iterate(0L, key -> key < 40, key -> key + 1)
                    .filter(key -> isThere(reader, key))
                    .toList();
        }
    }

    static boolean isThere(CollectionReader reader, long key) {
        try {
            return reader.get(PrimaryKey.ofU64(key), Projection.SOURCES)
                    .map(row -> Json.text(Json.parseObject(row.source())))
                    .isPresent();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
