package io.loam.flink.connector.source;

import io.loam.codec.manifest.CollectionManifest;
import io.loam.codec.manifest.ManifestCodec;
import io.loam.flink.connector.testing.Savepoints;
import io.loam.store.LiveManifest;
import io.loam.store.chain.SnapshotExpiredException;
import io.loam.store.object.ObjectNotFoundException;
import io.loam.store.object.ObjectStore;
import io.loam.store.spi.Projection;

import org.apache.flink.api.common.JobStatus;
import org.apache.flink.api.common.eventtime.WatermarkStrategy;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.RestartStrategyOptions;
import org.apache.flink.configuration.StateRecoveryOptions;
import org.apache.flink.core.execution.JobClient;
import org.apache.flink.core.execution.SavepointFormatType;
import org.apache.flink.runtime.testutils.MiniClusterResourceConfiguration;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.functions.sink.v2.DiscardingSink;
import org.apache.flink.test.junit5.MiniClusterExtension;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** Changes of a collection against what its versions had. */
class ChangelogITCase {
    @RegisterExtension
    static final MiniClusterExtension CLUSTER =
            new MiniClusterExtension(
                    new MiniClusterResourceConfiguration.Builder()
                            .setNumberTaskManagers(1)
                            .setNumberSlotsPerTaskManager(4)
                            .build());

    private static final Duration PATIENCE = Duration.ofMinutes(10);
    private static final long SEED = Long.getLong("loam.seed", 20_261_130L);

    @TempDir Path directory;
    private ChangingCollection collection;

    @BeforeEach
    void create() throws Exception {
        System.out.println("changes: -Dloam.seed=" + SEED);
        collection = new ChangingCollection(directory, SEED);
        KeptLines.reset();
    }

    @AfterEach
    void close() throws Exception {
        collection.close();
    }

    private CollectionSourceBuilder<String> source(ScanMode mode) {
        return CollectionSource.builder(collection.opener(), new ChangeLines())
                .mode(mode)
                .discoveryInterval(Duration.ofMillis(20));
    }

    private static JobClient start(
            CollectionSourceBuilder<String> source, int parallelism, String savepoint)
            throws Exception {
        Configuration config = new Configuration();
        config.set(RestartStrategyOptions.RESTART_STRATEGY, "fixed-delay");
        config.set(RestartStrategyOptions.RESTART_STRATEGY_FIXED_DELAY_ATTEMPTS, 1);
        config.set(RestartStrategyOptions.RESTART_STRATEGY_FIXED_DELAY_DELAY, Duration.ofMillis(1));
        if (savepoint != null) {
            config.set(StateRecoveryOptions.SAVEPOINT_PATH, savepoint);
        }
        StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment(config);
        env.enableCheckpointing(50);
        env.fromSource(source.build(), WatermarkStrategy.noWatermarks(), "changes")
                .uid("changes")
                .setParallelism(parallelism)
                .map(new KeptLines())
                .uid("kept")
                .setParallelism(1)
                .sinkTo(new DiscardingSink<>())
                .setParallelism(1);
        return env.executeAsync("changes");
    }

    private String stop(JobClient job) {
        return Savepoints.stop(job, false, directory.resolve("savepoints"));
    }

    private void awaitNewest(Map<String, String> start) {
        Awaitility.await()
                .atMost(PATIENCE)
                .pollInterval(Duration.ofMillis(50))
                .until(() -> materialized(start).equals(collection.newest()));
    }

    private static Map<String, String> materialized(Map<String, String> start) {
        Map<String, String> rows = new TreeMap<>(start);
        for (String line : KeptLines.lines()) {
            String[] parts = line.split(" ", 4);
            if (parts[0].startsWith("+")) {
                rows.put(parts[2], parts[3]);
            } else {
                rows.remove(parts[2]);
            }
        }
        return rows;
    }

    @Test
    void eachChangeComesOnceOverFailureRestartAndRescaling() throws Exception {
        for (int i = 0; i < 4; i++) {
            collection.change();
        }
        KeptLines.failAt(120);
        CollectionSourceBuilder<String> source = source(ScanMode.FROM_VERSION).version(0);
        JobClient job = start(source, 3, null);
        for (int i = 0; i < 12 || KeptLines.failures() == 0; i++) {
            collection.change();
        }
        awaitNewest(Map.of());
        String savepoint = stop(job);
        for (int i = 0; i < 4; i++) {
            collection.change();
        }
        job = start(source, 1, savepoint);
        collection.change();
        awaitNewest(Map.of());
        savepoint = stop(job);
        collection.change();
        job = start(source, 4, savepoint);
        collection.change();
        awaitNewest(Map.of());
        job.cancel().get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
        assertThat(KeptLines.failures()).isEqualTo(1);
        assertThat(ChangeLines.courses(KeptLines.lines(), Map.of()))
                .isEqualTo(collection.courses(0));
    }

    @Test
    void allRowsComeBeforeTheirChanges() throws Exception {
        for (int i = 0; i < 5; i++) {
            collection.change();
        }
        int start = collection.versions().size() - 1;
        JobClient job = start(source(ScanMode.FULL), 2, null);
        Awaitility.await().atMost(PATIENCE).until(() -> !KeptLines.lines().isEmpty());
        for (int i = 0; i < 8; i++) {
            collection.change();
        }
        awaitNewest(Map.of());
        String savepoint = stop(job);
        collection.change();
        job = start(source(ScanMode.FULL), 3, savepoint);
        awaitNewest(Map.of());
        job.cancel().get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
        int rows = collection.versions().get(start).size();
        List<String> lines = KeptLines.lines();
        assertThat(lines.subList(0, rows)).allMatch(line -> line.startsWith("+I " + start + " "));
        assertThat(
                        ChangeLines.courses(
                                lines.subList(rows, lines.size()),
                                collection.versions().get(start)))
                .isEqualTo(collection.courses(start));
    }

    @Test
    void onlyWhatChangesAfterTheStartComes() throws Exception {
        collection.upsert("k1");
        collection.upsert("k2");
        collection.commit();
        JobClient job = start(source(ScanMode.LATEST), 1, null);
        Awaitility.await()
                .atMost(PATIENCE)
                .until(() -> job.getJobStatus().get() == JobStatus.RUNNING);
        // Where it starts is decided before the first checkpoint.
        Awaitility.await()
                .atMost(PATIENCE)
                .ignoreExceptions()
                .until(
                        () ->
                                job.triggerSavepoint(
                                                directory.resolve("at-start").toUri().toString(),
                                                SavepointFormatType.NATIVE)
                                        .get(PATIENCE.toSeconds(), TimeUnit.SECONDS),
                        path -> path != null);
        collection.delete("k1");
        collection.upsert("k3");
        collection.commit();
        Awaitility.await().atMost(PATIENCE).until(() -> KeptLines.lines().size() >= 2);
        job.cancel().get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
        assertThat(KeptLines.lines())
                .containsExactlyInAnyOrder("-D 2 k1 {\"n\":1}", "+I 2 k3 {\"n\":3}");
    }

    @Test
    void aVersionThatIsGoneIsSaid() throws Exception {
        collection.upsert("k1");
        collection.commit();
        JobClient job = start(source(ScanMode.FROM_VERSION).version(0), 1, null);
        awaitNewest(Map.of());
        String savepoint = stop(job);
        for (int i = 0; i < 4; i++) {
            collection.upsert("k1");
            collection.commit();
        }
        CollectionManifest third = collection.handle().live().manifest();
        while (third.version() > 3) {
            String parent = third.parentManifest();
            third = ManifestCodec.decode(collection.handle().objects().get(parent), parent);
        }
        collection.handle().objects().delete(third.parentManifest());
        JobClient late = start(source(ScanMode.FROM_VERSION).version(0), 1, savepoint);
        assertThatThrownBy(
                        () ->
                                late.getJobExecutionResult()
                                        .get(PATIENCE.toSeconds(), TimeUnit.SECONDS))
                .hasStackTraceContaining(SnapshotExpiredException.class.getName())
                .hasStackTraceContaining("versions 3 to 5 are retained")
                .hasStackTraceContaining("Start anew without the old state: with mode full");
        JobClient tooOld = start(source(ScanMode.FROM_VERSION).version(1), 1, null);
        assertThatThrownBy(
                        () ->
                                tooOld.getJobExecutionResult()
                                        .get(PATIENCE.toSeconds(), TimeUnit.SECONDS))
                .hasStackTraceContaining("versions 3 to 5 are retained");
    }

    @Test
    void filesThatWereCollectedAreSaid() throws Exception {
        collection.upsert("k1");
        collection.commit();
        LiveManifest first = collection.handle().live();
        try (ChangeFeed feed =
                new ChangeFeed(
                        collection::handle, Projection.SOURCES, CollectionSplit.changes(1, 0, 1))) {
            assertThat(feed.read().isNothing()).isTrue();
            collection.upsert("k1");
            collection.commit();
            ObjectStore objects = collection.handle().objects();
            objects.delete(
                    collection.handle().paths().lanceVersion(first.manifest().lanceVersion()));
            objects.delete(first.path());
            assertThatThrownBy(feed::read)
                    .isInstanceOf(SnapshotExpiredException.class)
                    .hasMessageContaining("versions 2 to 2 are retained")
                    .hasMessageContaining("Start anew")
                    .hasCauseInstanceOf(ObjectNotFoundException.class);
        }
    }

    @Test
    void aShareGoesOnWithinAVersion() throws Exception {
        for (int i = 0; i < 6; i++) {
            collection.change();
        }
        for (int part = 0; part < 2; part++) {
            for (long version = 0; version < collection.versions().size() - 1; version++) {
                CollectionSplit share = CollectionSplit.changes(version, part, 2);
                List<String> all = next(share);
                for (int emitted = 1; emitted <= all.size(); emitted++) {
                    assertThat(next(share.at(version, emitted)))
                            .isEqualTo(all.subList(emitted, all.size()));
                }
                assertThatThrownBy(() -> next(share.at(share.version(), all.size() + 2)))
                        .hasMessageContaining("has 2 changes less than were emitted");
            }
        }
    }

    /** What a share emits of the next version. */
    private List<String> next(CollectionSplit share) throws Exception {
        List<String> lines = new ArrayList<>();
        try (ChangeFeed feed = new ChangeFeed(collection::handle, Projection.SOURCES, share)) {
            ChangeFeed.Batch batch;
            do {
                batch = feed.read();
                for (ScannedRow row : batch.rows()) {
                    lines.add(new ChangeLines().convert(row.kind(), row.row(), row.version()));
                }
            } while (batch.done() == null);
            assertThat(batch.done()).isEqualTo(share.version() + 1);
        }
        return lines;
    }
}
