package io.loam.flink.operators;

import io.loam.codec.staged.StagedUnit;
import io.loam.store.commit.OffsetRange;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.UUID;

/**
 * The commit id of a batch job. After a failure a batch job does not go back to a checkpoint: only
 * what is lost is computed again, from results that are kept. An aggregate that runs again on the
 * very same units must come to the very same commit, which may be published already.
 */
final class BatchCommitId {
    private BatchCommitId() {}

    /** Name-based; units have names that nobody else has. */
    static String of(String base, List<StagedUnit> units, Map<Integer, OffsetRange> progress) {
        StringBuilder name = new StringBuilder(base);
        units.stream()
                .map(unit -> unit.unit().toString())
                .sorted()
                .forEach(unit -> name.append(' ').append(unit));
        name.append(new TreeMap<>(progress));
        return UUID.nameUUIDFromBytes(name.toString().getBytes(StandardCharsets.UTF_8)).toString();
    }
}
