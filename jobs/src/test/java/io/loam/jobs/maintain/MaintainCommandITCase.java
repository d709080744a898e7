package io.loam.jobs.maintain;

import io.loam.codec.manifest.CommitKind;
import io.loam.codec.manifest.TaskKeys;
import io.loam.jobs.KilledCommand;
import io.loam.jobs.cli.Loam;
import io.loam.jobs.cli.LoamRun;
import io.loam.store.FailPoint;
import io.loam.store.LiveManifest;
import io.loam.store.metastore.Lease;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;

import static org.assertj.core.api.Assertions.assertThat;

/** {@code loam maintain}, as a command and as a process that is killed at the worst moments. */
class MaintainCommandITCase {
    private static final String[] SETTINGS = {
        "--merge", "factor=3", "--merge", "min-level-docs=5", "--merge", "purge-min-deleted=1"
    };

    @TempDir Path dir;
    private MergedCollection collection;
    private Map<String, Object> before;

    @BeforeEach
    void create() throws IOException {
        collection = new MergedCollection(dir);
        Random random = new Random(7);
        for (int commit = 0; commit < 6; commit++) {
            collection.change(random, 15, 40);
        }
        before = collection.answers();
    }

    @AfterEach
    void close() throws IOException {
        collection.close();
    }

    private List<String> arguments(String... more) {
        List<String> arguments = new ArrayList<>(List.of("maintain", "docs", "--once"));
        arguments.addAll(List.of("--warehouse", dir.resolve("warehouse").toString()));
        arguments.addAll(List.of(SETTINGS));
        arguments.addAll(List.of(more));
        return arguments;
    }

    private LoamRun loam(String... more) {
        return LoamRun.of(arguments(more).toArray(String[]::new));
    }

    private void requireSame() throws IOException {
        assertThat(collection.answers()).isEqualTo(before);
        collection.verify();
    }

    @Test
    void mergesUntilThereIsNothingToDo() throws IOException {
        int splits = collection.splits().size();
        assertThat(loam("--dry-run").ok().out())
                .containsPattern(
                        "would merge \\d splits from \\w{26}: \\d+ documents \\(\\d+ deleted\\), \\d+ bytes");
        assertThat(collection.splits()).hasSize(splits);
        assertThat(loam().ok().out())
                .containsPattern(
                        "published: merge \\d splits of \\d+ documents \\(\\d+ deleted\\), \\d+ bytes into"
                                + " \\w{26} of \\d+ documents \\(0 deleted\\), \\d+ bytes")
                .containsPattern("version \\d+")
                .endsWith("nothing to do" + System.lineSeparator());
        assertThat(collection.splits()).hasSizeLessThan(splits);
        requireSame();
        assertThat(loam("--json").ok().out()).isEmpty();
        assertThat(loam("--dry-run").ok().out()).isEqualToIgnoringNewLines("nothing to do");
    }

    @Test
    void tellsWhoElseIsAtIt() throws IOException {
        String key = TaskKeys.lease(TaskKeys.mergeSplits(1));
        collection.handle.metastore().acquireLease(key, "another", 3_600_000);
        assertThat(loam().ok().out())
                .contains("the lease task/collection-merge/1 is held by another until ");
        requireSame();
    }

    @Test
    void tellsWhatItCannotUse() {
        assertThat(loam("--merge", "faktor=2").err())
                .startsWith("loam: --merge: there is no merge setting faktor; there are [enabled,");
        assertThat(loam("--merge", "factor=1").err())
                .startsWith("loam: --merge: the merge factor must be at least 2, not 1");
        assertThat(loam("--compact", "rows=1").err())
                .startsWith(
                        "loam: --compact: there is no compaction setting rows; there are"
                                + " [deleted-ppm,");
        assertThat(loam("--interval", "0").err())
                .startsWith("loam: --interval must be at least a second, not 0");
    }

    @ParameterizedTest
    @EnumSource(value = FailPoint.class, mode = EnumSource.Mode.MATCH_ALL, names = "MAINTENANCE_.*")
    void killedAnywhereItIsDoneOrDoneAgain(FailPoint point) throws Exception {
        LiveManifest was = collection.handle.live();
        KilledCommand.at(point, dir.resolve("points"), Loam.class, arguments());

        LiveManifest now = collection.handle.live();
        boolean published = point == FailPoint.MAINTENANCE_PUBLISHED;
        assertThat(now.version()).isEqualTo(was.version() + (published ? 1 : 0));
        assertThat(now.manifest().kind())
                .isEqualTo(published ? CommitKind.MAINTENANCE : CommitKind.LINK_APPLY);
        requireSame();

        // The dead process holds its leases for a while; nobody else is to wait for that here.
        for (String task :
                List.of(TaskKeys.mergeSplits(1), TaskKeys.compact(1), TaskKeys.buildIndexes(1))) {
            String key = TaskKeys.lease(task);
            Lease taken = collection.handle.metastore().takeOverLease(key, "test", 1_000);
            collection.handle.metastore().releaseLease(key, "test", taken.epoch());
        }
        collection.change(new Random(8), 15, 40);
        before = collection.answers();
        String out = loam().ok().out();
        assertThat(out).contains("nothing to do").doesNotContain("failed");
        assertThat(collection.splits()).hasSizeLessThan(6);
        requireSame();
    }
}
