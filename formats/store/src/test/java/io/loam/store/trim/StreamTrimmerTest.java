package io.loam.store.trim;

import io.loam.store.CollectionHandle;
import io.loam.store.chain.ManifestChain;
import io.loam.store.chain.Retention;
import io.loam.store.commit.CommitterOptions;
import io.loam.store.commit.LinkApplyCommitter;
import io.loam.store.metastore.MetastoreException;
import io.loam.store.metastore.MetastoreException.Code;
import io.loam.store.tag.TagOptions;
import io.loam.store.tag.TagTarget;
import io.loam.store.tag.Tags;
import io.loam.store.testing.TestCollection;
import io.loam.store.testing.TestWriter;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

class StreamTrimmerTest {
    private static final long DAY = Duration.ofDays(1).toMillis();

    @TempDir Path dir;
    private long clockMs = 1_700_000_000_000L;
    private TestCollection collection;
    private CollectionHandle handle;
    private final MemoryLog log = new MemoryLog();

    /** The log of the collection, of which only the start moves. */
    private final class MemoryLog implements StreamLog {
        private String id = "first";
        private final Map<Integer, Long> starts = new TreeMap<>(Map.of(0, 0L, 1, 0L));
        private final List<Map<Integer, Long>> cuts = new ArrayList<>();

        @Override
        public String id() {
            return id;
        }

        @Override
        public Map<Integer, Long> starts() {
            return starts;
        }

        @Override
        public Map<Integer, Long> ends() {
            Map<Integer, Long> ends = new TreeMap<>();
            for (int p = 0; p < 2; p++) {
                ends.put(p, (long) collection.log.from(p, 0).size());
            }
            return ends;
        }

        @Override
        public void deleteBefore(Map<Integer, Long> offsets) {
            cuts.add(offsets);
            starts.putAll(offsets);
        }
    }

    @BeforeEach
    void create() throws IOException {
        collection = TestCollection.inMemory(dir, 2, () -> clockMs);
        handle = collection.open();
    }

    @AfterEach
    void close() throws IOException {
        collection.close();
    }

    private void commits(int count) throws IOException {
        for (int i = 0; i < count; i++) {
            for (int key = 0; key < 6; key++) {
                collection.upsert(key, "{\"n\":" + i + "}");
            }
            TestWriter writer = collection.writer();
            try (LinkApplyCommitter committer =
                    new LinkApplyCommitter(
                            collection.open(), CommitterOptions.of("a").withTakeOver(true))) {
                committer.commit(writer.checkpoint(1), false);
            }
            clockMs += 1000;
        }
    }

    private StreamTrimmer trimmer() {
        return new StreamTrimmer(handle, log, Retention.DEFAULT, 0);
    }

    @Test
    void nothingGoesBeforeTheFirstCommit() throws IOException {
        collection.upsert(1, "{\"n\":1}");
        assertThat(trimmer().run("me").goes()).isZero();
        assertThat(log.cuts).isEmpty();
    }

    @Test
    void whatTheOldestRetainedVersionHasAppliedGoes() throws IOException {
        commits(14);
        Map<Integer, Long> first = applied(1);
        Map<Integer, Long> fourth = applied(4);
        assertThat(trimmer().run("me").oldestVersion()).isEqualTo(1);
        assertThat(log.starts).isEqualTo(first);
        clockMs += 2 * DAY;

        TrimPlan planned = trimmer().plan();
        assertThat(log.starts).isEqualTo(first);
        TrimPlan done = trimmer().run("me");

        assertThat(done).isEqualTo(planned);
        assertThat(done.oldestVersion()).isEqualTo(4);
        assertThat(done.goes()).isEqualTo(18);
        assertThat(log.starts).isEqualTo(fourth);
        assertThat(trimmer().run("me").goes()).as("again").isZero();
        assertThat(log.cuts).hasSize(2);
        assertThat(handle.metastore().lease("task/collection-trim/1").orElseThrow().owner())
                .isNull();
    }

    private Map<Integer, Long> applied(long version) throws IOException {
        return new TreeMap<>(ManifestChain.of(handle).open(version).applied());
    }

    @Test
    void tagsHoldNothingBack() throws IOException {
        commits(2);
        new Tags(handle).create("a", TagTarget.version(1), TagOptions.DEFAULT);
        commits(12);
        clockMs += 2 * DAY;
        assertThat(trimmer().run("me").oldestVersion()).isEqualTo(4);
    }

    @Test
    void clocksMayDiffer() throws IOException {
        commits(14);
        clockMs += DAY;
        assertThat(trimmer().plan().oldestVersion()).isEqualTo(4);
        assertThat(new StreamTrimmer(handle, log, Retention.DEFAULT, 60_000).plan().oldestVersion())
                .isEqualTo(1);
    }

    @Test
    void oneAtATime() throws IOException {
        commits(14);
        String key = "task/collection-trim/1";
        handle.metastore().acquireLease(key, "other", 10_000);
        assertThatThrownBy(() -> trimmer().run("me"))
                .isInstanceOfSatisfying(
                        MetastoreException.class,
                        e -> assertThat(e.code()).isEqualTo(Code.LEASE_HELD));
        assertThat(log.cuts).isEmpty();
    }

    /** Planning took longer than the lease stood, and another one has it. */
    @Test
    void whoLostTheLeaseCutsNothing() throws IOException {
        commits(14);
        String key = "task/collection-trim/1";
        collection.faults.onceRun(
                "clockMs",
                () -> {
                    clockMs += 120_000;
                    try {
                        handle.metastore().acquireLease(key, "other", 10_000);
                    } catch (IOException e) {
                        throw new UncheckedIOException(e);
                    }
                });
        assertThatThrownBy(() -> trimmer().run("me"))
                .isInstanceOfSatisfying(
                        MetastoreException.class,
                        e -> assertThat(e.code()).isEqualTo(Code.LEASE_LOST));
        assertThat(log.cuts).isEmpty();
        assertThat(handle.metastore().lease(key).orElseThrow().owner()).isEqualTo("other");
    }

    @Test
    void anotherTopicOfTheSameNameIsLeftAlone() throws IOException {
        commits(2);
        trimmer().run("me");
        log.id = "second";
        assertThatThrownBy(() -> trimmer().run("me"))
                .hasMessageContaining("its id is second, not first")
                .hasMessageContaining("nothing is trimmed");
        log.id = "";
        assertThat(trimmer().run("me").oldestVersion()).isEqualTo(1);
    }

    @Test
    void aStreamThatEndsTooEarlyIsLeftAlone() throws IOException {
        commits(2);
        StreamLog shorter =
                new StreamLog() {
                    @Override
                    public String id() {
                        return "";
                    }

                    @Override
                    public Map<Integer, Long> starts() {
                        return Map.of();
                    }

                    @Override
                    public Map<Integer, Long> ends() {
                        return Map.of(0, 1L, 1, 1L);
                    }

                    @Override
                    public void deleteBefore(Map<Integer, Long> offsets) {
                        throw new AssertionError(offsets);
                    }
                };
        assertThatThrownBy(() -> new StreamTrimmer(handle, shorter, Retention.DEFAULT, 0).run("me"))
                .hasMessageContaining("ends at 1")
                .hasMessageContaining("created again");
    }
}
