package io.loam.store.gc;

import io.loam.codec.Ulid;
import io.loam.codec.manifest.CollectionPaths;
import io.loam.codec.staged.UnitDescriptor;
import io.loam.store.chain.Retention;
import io.loam.store.object.ObjectInfo;

import org.junit.jupiter.api.Test;

import javax.annotation.Nullable;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

import static org.assertj.core.api.Assertions.assertThat;

/** The edges of every rule, to the millisecond. */
class GcPlannerTest {
    private static final long NOW = 1_700_000_000_000L;
    private static final long GRACE = 3_600_000;
    private static final long STAGING = 10 * GRACE;
    private static final GcOptions OPTIONS =
            new GcOptions(Retention.DEFAULT, GRACE, STAGING, 10, 0);
    private static final CollectionPaths PATHS = new CollectionPaths(1, 5);

    private static final Ulid ROWLESS = Ulid.of(NOW - 5, 0, 77);

    private final List<ObjectInfo> listing = new ArrayList<>();
    private final Map<String, UnitDescriptor> descriptors = new TreeMap<>();
    private final References retained = new References();
    private final References tagged = new References();
    private final References listed = new References();
    private final References released = new References();
    private final References mainline = new References();
    private final References retired = new References();

    private GcOptions options = OPTIONS;

    private static Ulid aged(long ageMs) {
        return Ulid.of(NOW - ageMs, 0, 1);
    }

    private Fate fate(String path) {
        return fate(path, NOW, null);
    }

    private Fate fate(String path, long modifiedMs, @Nullable String damage) {
        listing.clear();
        listing.add(new ObjectInfo(path, 1, modifiedMs));
        GcSnapshot snapshot =
                new GcSnapshot(
                        PATHS,
                        listing,
                        NOW,
                        descriptors,
                        retained,
                        tagged,
                        Set.of(ROWLESS),
                        listed,
                        released,
                        mainline,
                        retired,
                        damage);
        return GcPlanner.plan(snapshot, options).verdicts().get(0).fate();
    }

    private String descriptor(long ageMs, String... paths) {
        Ulid unit = aged(ageMs);
        String path = PATHS.stagedDescriptor(unit);
        descriptors.put(path, new UnitDescriptor(unit, unit, NOW - ageMs, List.of(paths)));
        return path;
    }

    @Test
    void graceCountsFromTheNameAndForLanceFromTheStore() {
        assertThat(fate(PATHS.split(aged(GRACE - 1)))).isEqualTo(Fate.YOUNG);
        assertThat(fate(PATHS.split(aged(GRACE)))).isEqualTo(Fate.UNREFERENCED);
        assertThat(fate(PATHS.split(aged(-GRACE)))).as("of the future").isEqualTo(Fate.YOUNG);
        assertThat(fate(PATHS.manifest(3, aged(GRACE - 1)))).isEqualTo(Fate.YOUNG);
        assertThat(fate(PATHS.manifest(3, aged(GRACE)))).isEqualTo(Fate.SUPERSEDED);
        String data = PATHS.lanceData(aged(GRACE) + ".lance");
        assertThat(fate(data, NOW - GRACE + 1, null)).isEqualTo(Fate.YOUNG);
        assertThat(fate(data, NOW - GRACE, null)).isEqualTo(Fate.UNREFERENCED);
    }

    @Test
    void clocksMayDiffer() {
        options = OPTIONS.withMaxClockSkewMs(1000);
        assertThat(fate(PATHS.split(aged(GRACE + 999)))).isEqualTo(Fate.YOUNG);
        assertThat(fate(PATHS.split(aged(GRACE + 1000)))).isEqualTo(Fate.UNREFERENCED);
        assertThat(fate(descriptor(STAGING + 999, PATHS.split(aged(5))))).isEqualTo(Fate.STAGED);
        assertThat(fate(descriptor(STAGING + 1000, PATHS.split(aged(5))))).isEqualTo(Fate.EXPIRED);
    }

    @Test
    void aTaggedVersionKeepsItsObjectsAndPublishesItsUnits() {
        String split = PATHS.split(aged(STAGING));
        String descriptor = descriptor(2 * GRACE, split);
        tagged.add(split);
        assertThat(fate(split)).isEqualTo(Fate.TAGGED);
        assertThat(fate(descriptor)).isEqualTo(Fate.PUBLISHED);
        retained.add(split);
        assertThat(fate(split)).isEqualTo(Fate.RETAINED);
    }

    @Test
    void whoNamesAnObjectDecides() {
        String split = PATHS.split(aged(2 * GRACE));
        listed.add(split);
        assertThat(fate(split)).isEqualTo(Fate.NEXT_RUN);
        descriptor(STAGING - 1, split);
        assertThat(fate(split)).isEqualTo(Fate.STAGED);
        retained.add(split);
        assertThat(fate(split)).isEqualTo(Fate.RETAINED);
        assertThat(fate(split, NOW, "damage")).isEqualTo(Fate.UNREADABLE);
    }

    @Test
    void prefixesHoldAllBelowThem() {
        String index = "67e55044-10b1-426f-9247-bb680e5fe0c8";
        String file = PATHS.lanceIndex(index) + "part/aux.idx";
        assertThat(fate(file, 0, null)).isEqualTo(Fate.UNREFERENCED);
        retained.add(PATHS.lanceIndex(index));
        assertThat(fate(file, 0, null)).isEqualTo(Fate.RETAINED);
        String hot = PATHS.hotArtifact("_vector_0", 6, aged(2 * GRACE));
        assertThat(fate(hot + "descriptor.bin", 0, null)).isEqualTo(Fate.UNREFERENCED);
        retired.add(hot);
        assertThat(fate(hot + "descriptor.bin", 0, null)).isEqualTo(Fate.RETIRED);
        mainline.add(PATHS.lance() + "_transactions/1-x.txn");
        assertThat(fate(PATHS.lance() + "_transactions/1-x.txn", 0, null)).isEqualTo(Fate.MAINLINE);
    }

    @Test
    void aDescriptorStaysForTheStagingRetention() {
        String split = PATHS.split(aged(STAGING));
        String young = descriptor(STAGING - 1, split);
        assertThat(fate(young)).isEqualTo(Fate.STAGED);
        assertThat(fate(split)).isEqualTo(Fate.STAGED);
        descriptors.clear();
        String old = descriptor(STAGING, split);
        assertThat(fate(old)).isEqualTo(Fate.EXPIRED);
        assertThat(fate(split)).isEqualTo(Fate.UNREFERENCED);
    }

    @Test
    void aUnitWithoutRowsIsPublishedByItsName() {
        String path = PATHS.stagedDescriptor(ROWLESS);
        descriptors.put(
                path,
                new UnitDescriptor(ROWLESS, ROWLESS, NOW - 5, List.of(PATHS.stagedKeys(ROWLESS))));
        assertThat(fate(path)).isEqualTo(Fate.PUBLISHED);
        assertThat(fate(PATHS.stagedKeys(ROWLESS))).isEqualTo(Fate.YOUNG);
    }

    @Test
    void aPublishedUnitsDescriptorGoesAtOnceAndItsListsAfterTheGrace() {
        Ulid unit = aged(GRACE);
        String split = PATHS.split(aged(0));
        retained.add(split);
        listed.add(PATHS.split(aged(1)));
        String published = descriptor(GRACE, split, PATHS.stagedKeys(unit));
        assertThat(fate(published)).isEqualTo(Fate.PUBLISHED);
        assertThat(fate(PATHS.stagedKeys(unit))).isEqualTo(Fate.UNREFERENCED);
        assertThat(fate(PATHS.stagedDeadLetters(aged(GRACE - 1)))).isEqualTo(Fate.YOUNG);
        descriptors.clear();
        String lostItsSwap = descriptor(GRACE, PATHS.split(aged(1)));
        assertThat(fate(lostItsSwap)).isEqualTo(Fate.STAGED);
        descriptors.clear();
        assertThat(fate(published)).as("gone since it was listed").isEqualTo(Fate.YOUNG);
    }
}
