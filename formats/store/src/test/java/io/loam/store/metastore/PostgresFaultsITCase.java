package io.loam.store.metastore;

import io.loam.codec.record.Operation;
import io.loam.store.CollectionHandle;
import io.loam.store.Warehouse;
import io.loam.store.chain.ManifestChain;
import io.loam.store.commit.CollectionCommittable;
import io.loam.store.commit.CommitOutcome.Committed;
import io.loam.store.commit.CommitterOptions;
import io.loam.store.commit.LinkApplyCommitter;
import io.loam.store.object.ObjectStore;
import io.loam.store.retry.Retry;
import io.loam.store.retry.RetryOptions;
import io.loam.store.testing.FakeRows;
import io.loam.store.testing.FakeSplits;
import io.loam.store.testing.InMemoryObjectStore;
import io.loam.store.testing.TestCollection;
import io.loam.store.testing.TestLog;
import io.loam.store.testing.TestPostgres;
import io.loam.store.testing.TestWriter;
import io.loam.store.verify.Verifier;
import io.loam.store.verify.VerifyReport;

import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CompletableFuture;

import static org.assertj.core.api.Assertions.assertThat;

/** Commits against a real server whose connections break in the middle, and which restarts. */
class PostgresFaultsITCase {
    private static final RetryOptions QUICK = new RetryOptions(6, 10, 100);

    /** For minutes. */
    private static final RetryOptions PATIENT = new RetryOptions(1_000, 100, 500);

    private static EmbeddedPostgres server;

    @TempDir Path dir;
    private CuttingProxy proxy;
    private final ObjectStore objects = new InMemoryObjectStore();
    private final TestLog log = new TestLog(1);

    @BeforeAll
    static void startServer() throws IOException {
        server = TestPostgres.builder().start();
    }

    @AfterAll
    static void stopServer() throws IOException {
        server.close();
    }

    @BeforeEach
    void startProxy() throws IOException {
        proxy = new CuttingProxy(server.getPort());
    }

    @AfterEach
    void stopProxy() throws IOException {
        proxy.close();
    }

    /** Without prepared statements on the server, so that a COMMIT can be read on the wire. */
    private static Metastore connect(int port, RetryOptions retry) throws MetastoreException {
        String url =
                "jdbc:postgresql://localhost:"
                        + port
                        + "/postgres?user=postgres&prepareThreshold=0";
        return new RetryingMetastore(JdbcMetastore.open(url, null, null), Retry.of(retry));
    }

    private Warehouse warehouse(Metastore metastore) {
        return Warehouse.of(metastore, objects, FakeRows::new, FakeSplits::new);
    }

    private static CollectionInfo create(Metastore metastore, String name) throws IOException {
        return metastore.createCollection(
                "default", name, TestCollection.schema(1, List.of("n"), List.of()), 1, null);
    }

    private CollectionCommittable next(TestWriter writer, int n) throws IOException {
        log.add(new Operation.Upsert(TestCollection.document(n, "{\"n\":" + n + "}")));
        return writer.checkpoint(1);
    }

    /** Every transaction of a commit, the swap among them, breaks once before and once after. */
    @Test
    void aConnectionThatBreaksAtAnyCommitChangesNothing() throws Exception {
        try (Warehouse warehouse = warehouse(connect(proxy.port(), QUICK))) {
            CollectionInfo info = create(warehouse.metastore(), "broken");
            CollectionHandle handle = warehouse.open(info.id());
            TestWriter writer = TestWriter.start(handle, log, dir);
            int published = 0;
            proxy.cut(0, false);
            commit(handle, next(writer, published), ++published);
            int transactions = proxy.commits();
            for (boolean after : new boolean[] {false, true}) {
                for (int cut = 1; cut <= transactions; cut++) {
                    CollectionCommittable committable = next(writer, published);
                    proxy.cut(cut, after);
                    commit(handle, committable, ++published);
                    assertThat(proxy.commits()).as("the broken one again").isGreaterThan(cut);
                }
            }
            assertThat(transactions).as("clock twice, lease, swap, release").isEqualTo(5);
            assertThat(ManifestChain.of(handle).retained()).hasSize(published);
            VerifyReport report = Verifier.againstLog(handle, log);
            assertThat(report.violations()).isEmpty();
            assertThat(report.keys()).isEqualTo(published);
        }
    }

    private static void commit(
            CollectionHandle handle, CollectionCommittable committable, long version)
            throws IOException {
        try (LinkApplyCommitter committer =
                new LinkApplyCommitter(handle, CommitterOptions.of("a"))) {
            assertThat(committer.commit(committable, false)).isEqualTo(new Committed(version));
        }
    }

    @Test
    void aServerThatRestartsInTheMiddleIsWaitedFor() throws Exception {
        Path data = dir.resolve("data");
        EmbeddedPostgres mortal =
                TestPostgres.builder().setDataDirectory(data).setCleanDataDirectory(false).start();
        proxy.goOnTo(mortal.getPort());
        try (Warehouse warehouse = warehouse(connect(proxy.port(), PATIENT))) {
            CollectionInfo info = create(warehouse.metastore(), "restarted");
            CollectionHandle handle = warehouse.open(info.id());
            TestWriter writer = TestWriter.start(handle, log, dir);
            LinkApplyCommitter committer = new LinkApplyCommitter(handle, CommitterOptions.of("a"));
            committer.commit(next(writer, 1), false);

            mortal.close();
            CompletableFuture<EmbeddedPostgres> restarted =
                    CompletableFuture.supplyAsync(() -> restart(data));
            CollectionCommittable second = next(writer, 2);
            assertThat(committer.commit(second, false)).isEqualTo(new Committed(2));
            committer.close();
            mortal = restarted.get();
            assertThat(Verifier.againstLog(handle, log).violations()).isEmpty();
        } finally {
            mortal.close();
        }
    }

    /** On another port, as somebody else may have taken the one it had; the proxy's stays. */
    private EmbeddedPostgres restart(Path data) {
        try {
            EmbeddedPostgres restarted =
                    TestPostgres.builder()
                            .setDataDirectory(data)
                            .setCleanDataDirectory(false)
                            .start();
            proxy.goOnTo(restarted.getPort());
            return restarted;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
