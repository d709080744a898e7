package io.loam.store.commit;

import io.loam.codec.Ulid;
import io.loam.codec.staged.StagedUnit;

import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * All that one checkpoint adds to a collection.
 *
 * @param commitId random UUID, hyphenated: the identity of the commit
 * @param base commit id its key index stands on; empty for a collection without commits
 * @param records operations and dead letters it covers, for people; in direct mode keys changed and
 *     dead letters
 */
public record CollectionCommittable(
        String commitId,
        String base,
        Ulid incarnation,
        long checkpoint,
        CommitMode mode,
        String writer,
        String job,
        long records,
        List<StagedUnit> units,
        Map<Integer, OffsetRange> progress) {
    public CollectionCommittable {
        units = List.copyOf(units);
        progress = Collections.unmodifiableMap(new TreeMap<>(progress));
    }
}
