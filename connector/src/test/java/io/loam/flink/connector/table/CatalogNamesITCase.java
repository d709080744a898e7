package io.loam.flink.connector.table;

import io.loam.store.Warehouse;
import io.loam.store.metastore.CollectionInfo;

import org.apache.flink.core.execution.JobClient;
import org.apache.flink.table.api.TableResult;
import org.apache.flink.table.api.bridge.java.StreamTableEnvironment;
import org.apache.flink.table.functions.ScalarFunction;
import org.awaitility.Awaitility;
import org.awaitility.core.ThrowingRunnable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** Tables get other names, and what was found by the old ones goes on. */
class CatalogNamesITCase extends TableTestBase {
    private static final String DOCS =
            "CREATE TABLE docs (id BIGINT, n INT, PRIMARY KEY (id) NOT ENFORCED)"
                    + " WITH ('sink.lease-ttl' = '3 s')";

    @BeforeEach
    void createCatalogs() throws Exception {
        for (StreamTableEnvironment environment : List.of(batch, streaming)) {
            run(
                    environment,
                    "CREATE CATALOG loam WITH ('type' = 'loam', 'warehouse' = '"
                            + directory.resolve("warehouse")
                            + "')");
            run(environment, "USE CATALOG loam");
        }
    }

    @AfterEach
    void dropCatalogs() throws Exception {
        for (StreamTableEnvironment environment : List.of(batch, streaming)) {
            run(environment, "USE CATALOG default_catalog");
            run(environment, "DROP CATALOG loam");
        }
    }

    private void refused(String statement, String message) {
        assertThatThrownBy(() -> run(batch, statement)).hasStackTraceContaining(message);
    }

    private CollectionInfo collection(String name) throws IOException {
        try (Warehouse opened = Warehouse.open(warehouse())) {
            return opened.metastore().findCollection("default", name).orElseThrow();
        }
    }

    @Test
    void aTableIsRenamed() throws Exception {
        run(batch, DOCS);
        run(batch, "INSERT INTO docs VALUES (1, 10)");
        CollectionInfo before = collection("docs");
        run(batch, "CREATE TABLE other (id BIGINT, PRIMARY KEY (id) NOT ENFORCED)");

        run(batch, "ALTER TABLE docs RENAME TO papers");
        assertThat(lines(batch, "SHOW TABLES")).containsExactly("+I[other]", "+I[papers]");
        assertThat(lines(batch, "SELECT * FROM papers")).containsExactly("+I[1, 10]");
        assertThat(collection("papers").id()).isEqualTo(before.id());
        assertThat(collection("papers").topic()).isEqualTo(before.topic());
        run(batch, "INSERT INTO papers (id, n) VALUES (2, 20)");
        assertThat(lines(batch, "SELECT version FROM papers$manifests ORDER BY version"))
                .containsExactly("+I[1]", "+I[2]");
        assertThat(lines(batch, "SHOW CREATE TABLE papers").get(0)).contains("'3 s'");

        refused("ALTER TABLE docs RENAME TO letters", "docs");
        run(batch, "ALTER TABLE IF EXISTS docs RENAME TO letters");
        refused("ALTER TABLE papers RENAME TO other", "other");
        refused("ALTER TABLE papers RENAME TO _hidden", "does not start with _");
        refused("ALTER TABLE papers$manifests RENAME TO m", "tells of table");
        refused("ALTER TABLE papers RENAME TO other$manifests", "tells of table");
        assertThat(lines(batch, "SHOW TABLES")).containsExactly("+I[other]", "+I[papers]");
        run(batch, DOCS);
        assertThat(lines(batch, "SELECT * FROM docs")).isEmpty();
    }

    @Test
    void aTableIsReplacedByAQuery() throws Exception {
        run(batch, DOCS);
        run(batch, "INSERT INTO docs VALUES (1, 10)");
        long before = collection("docs").id();
        String query =
                " (PRIMARY KEY (word) NOT ENFORCED) AS SELECT word, COUNT(*) AS many"
                        + " FROM (VALUES ('a'), ('b'), ('a')) AS t(word) GROUP BY word";
        run(batch, "REPLACE TABLE docs" + query);
        assertThat(lines(batch, "SELECT * FROM docs ORDER BY word"))
                .containsExactly("+I[a, 2]", "+I[b, 1]");
        assertThat(collection("docs").id()).isNotEqualTo(before);
        run(
                batch,
                "CREATE OR REPLACE TABLE docs" + query.replace("GROUP", "WHERE word = 'a' GROUP"));
        run(batch, "CREATE OR REPLACE TABLE words" + query);
        assertThat(lines(batch, "SELECT * FROM docs")).containsExactly("+I[a, 2]");
        assertThat(lines(batch, "SELECT COUNT(*) FROM words")).containsExactly("+I[2]");
        refused("REPLACE TABLE letters" + query, "doesn't exist");
        refused("CREATE TABLE docs" + query, "docs");

        // A query that fails leaves the new table, empty.
        String failing = query.replace("COUNT(*)", "SUM(CAST(word AS INT))");
        refused("REPLACE TABLE words" + failing, "NumberFormatException");
        assertThat(lines(batch, "SELECT * FROM words")).isEmpty();
    }

    /** Fails once it is armed, once. */
    public static final class FailingOnce extends ScalarFunction {
        private static final long serialVersionUID = 1L;
        private static final AtomicBoolean ARMED = new AtomicBoolean();
        private static final AtomicBoolean FAILED = new AtomicBoolean();

        public Integer eval(Integer n) {
            if (ARMED.compareAndSet(true, false)) {
                FAILED.set(true);
                throw new IllegalStateException("induced failure");
            }
            return n;
        }

        @Override
        public boolean isDeterministic() {
            return false;
        }
    }

    @Test
    void runningJobsGoOn() throws Exception {
        create(DOCS.replace("CREATE TABLE", "CREATE TABLE IF NOT EXISTS"));
        run(batch, "CREATE TABLE copies (id BIGINT, n INT, PRIMARY KEY (id) NOT ENFORCED)");
        streaming.createTemporarySystemFunction("FAILING_ONCE", FailingOnce.class);
        streaming.executeSql(
                "CREATE TEMPORARY TABLE numbers (n INT) WITH ('connector' = 'datagen',"
                        + " 'rows-per-second' = '100', 'fields.n.min' = '0', 'fields.n.max' = '9')");
        TableResult copying =
                streaming.executeSql(
                        "INSERT INTO copies SELECT id, n FROM docs"
                                + " /*+ OPTIONS('scan.mode' = 'from-version', 'scan.version' = '0',"
                                + " 'scan.discovery-interval' = '50 ms') */");
        TableResult writing =
                streaming.executeSql(
                        "INSERT INTO docs SELECT CAST(n AS BIGINT), FAILING_ONCE(n) FROM numbers");
        try {
            awaitNext(writing, "docs");
            String owner = owner("docs");
            run(batch, "ALTER TABLE docs RENAME TO papers");
            awaitNext(writing, "papers");
            FailingOnce.ARMED.set(true);
            Awaitility.await().atMost(Duration.ofMinutes(10)).untilTrue(FailingOnce.FAILED);
            awaitNext(writing, "papers");
            assertThat(owner("papers")).as("it is one writer still").isEqualTo(owner);
            String number = rows(batch, "SELECT MAX(n) FROM papers").get(0).toString();
            await(
                    copying,
                    () ->
                            assertThat(rows(batch, "SELECT MAX(n) FROM copies").get(0).toString())
                                    .isEqualTo(number));
        } finally {
            for (TableResult job : List.of(writing, copying)) {
                cancel(job);
            }
        }
    }

    private String owner(String name) throws IOException {
        return reading(
                name,
                collection ->
                        collection
                                .metastore()
                                .lease(collection.paths().leaseKey())
                                .orElseThrow()
                                .owner());
    }

    /** Waits until a table has two versions more: of the second, all was read after now. */
    private void awaitNext(TableResult job, String name) throws Exception {
        long now = reading(name, collection -> collection.live().version());
        await(
                job,
                () -> {
                    long version = reading(name, collection -> collection.live().version());
                    assertThat(version).isGreaterThanOrEqualTo(now + 2);
                });
    }

    private static void await(TableResult job, ThrowingRunnable asserted) {
        JobClient client = job.getJobClient().orElseThrow();
        Awaitility.await()
                .pollInSameThread()
                .atMost(Duration.ofMinutes(10))
                .pollDelay(Duration.ofMillis(100))
                .untilAsserted(
                        () -> {
                            assertThat(client.getJobStatus().get().isTerminalState()).isFalse();
                            asserted.run();
                        });
    }
}
