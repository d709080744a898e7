package io.loam.store.commit;

import io.loam.codec.manifest.CollectionPaths;
import io.loam.codec.staged.StagedUnit;
import io.loam.store.StoredObjects;
import io.loam.store.object.ObjectStore;
import io.loam.store.object.ParallelIo;
import io.loam.store.retry.Pause;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * Whether staged units may still be published. The garbage collector keeps a unit for the staging
 * retention; a unit that comes within its grace of that is refused, because its objects could go
 * between the check and the pointer swap. Objects of units older than half the grace are looked up,
 * as somebody may have removed them by hand; so are those of restored committables, as this may be
 * another copy of the warehouse than the one they were staged in. One that is said to be absent is
 * looked for again a little later, in a listing: the refusal is final.
 */
record UnitCheck(
        ObjectStore objects,
        CollectionPaths paths,
        ParallelIo reads,
        CommitterOptions options,
        Pause pause) {
    private static final long SECOND_LOOK_MS = 1_000;

    void check(CollectionCommittable committable, boolean recovered, long clockMs)
            throws IOException {
        List<String> needed = new ArrayList<>();
        for (StagedUnit unit : committable.units()) {
            long ageMs = clockMs - unit.createdAtMs();
            if (ageMs > options.stagingRetentionMs() - options.graceMs()) {
                throw Refusal.of(
                        committable,
                        "unit "
                                + unit.unit()
                                + " was staged "
                                + Duration.ofMillis(ageMs)
                                + " ago, and staged units are kept for "
                                + Duration.ofMillis(options.stagingRetentionMs())
                                + " only");
            }
            if (recovered || ageMs > options.graceMs() / 2) {
                needed.addAll(objectsOf(unit));
            }
        }
        List<Boolean> present = reads.map(needed, path -> objects.stat(path).isPresent());
        if (!present.contains(false)) {
            return;
        }
        pause.of(SECOND_LOOK_MS);
        for (int i = 0; i < needed.size(); i++) {
            if (!present.get(i) && !StoredObjects.isListed(objects, needed.get(i))) {
                throw Refusal.of(committable, "its staged object " + needed.get(i) + " is gone");
            }
        }
    }

    private List<String> objectsOf(StagedUnit unit) {
        List<String> paths = new ArrayList<>();
        if (unit.rowCount() > 0) {
            paths.add(this.paths.lanceData(unit.dataFile()));
        }
        if (unit.split() != null) {
            paths.add(this.paths.split(unit.split().ulid()));
        }
        if (unit.keyChanges() > 0) {
            paths.add(this.paths.stagedKeys(unit.unit()));
        }
        if (unit.deadLetters() > 0) {
            paths.add(this.paths.stagedDeadLetters(unit.unit()));
        }
        return paths;
    }
}
