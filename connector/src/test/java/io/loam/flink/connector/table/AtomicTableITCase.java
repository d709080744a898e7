package io.loam.flink.connector.table;

import io.loam.store.Warehouse;
import io.loam.store.metastore.CollectionInfo;
import io.loam.store.metastore.RetiredPath;

import org.apache.flink.core.execution.JobClient;
import org.apache.flink.table.api.TableResult;
import org.apache.flink.table.api.bridge.java.StreamTableEnvironment;
import org.apache.flink.table.api.config.TableConfigOptions;
import org.apache.flink.table.functions.ScalarFunction;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** A table is made and filled as one, or not at all. */
class AtomicTableITCase extends TableTestBase {
    private static final String DOCS =
            "CREATE TABLE docs (id BIGINT, n INT, PRIMARY KEY (id) NOT ENFORCED)";
    private static final String KEY = " (PRIMARY KEY (word) NOT ENFORCED)";
    private static final String QUERY =
            " AS SELECT word, COUNT(*) AS many"
                    + " FROM (VALUES ('a'), ('b'), ('a')) AS t(word) GROUP BY word";
    private static final String FAILING = QUERY.replace("COUNT(*)", "SUM(CAST(word AS INT))");
    private static final String HELD = QUERY.replace("COUNT(*)", "SUM(HELD(1))");

    /** Waits until it is let go, and counts its calls. */
    public static final class Held extends ScalarFunction {
        private static final long serialVersionUID = 1L;
        private static final AtomicInteger CALLS = new AtomicInteger();
        private static volatile CountDownLatch letGo = new CountDownLatch(1);

        public Integer eval(Integer n) throws InterruptedException {
            CALLS.incrementAndGet();
            if (!letGo.await(20, TimeUnit.MINUTES)) {
                throw new IllegalStateException("nobody let it go");
            }
            return n;
        }

        @Override
        public boolean isDeterministic() {
            return false;
        }
    }

    @BeforeEach
    void createCatalogs() throws Exception {
        Held.CALLS.set(0);
        Held.letGo = new CountDownLatch(1);
        for (StreamTableEnvironment environment : List.of(batch, streaming)) {
            run(
                    environment,
                    "CREATE CATALOG loam WITH ('type' = 'loam', 'warehouse' = '"
                            + directory.resolve("warehouse")
                            + "')");
            run(environment, "USE CATALOG loam");
            environment.getConfig().set(TableConfigOptions.TABLE_RTAS_CTAS_ATOMICITY_ENABLED, true);
            environment.createTemporarySystemFunction("HELD", Held.class);
        }
    }

    @AfterEach
    void dropCatalogs() throws Exception {
        Held.letGo.countDown();
        for (StreamTableEnvironment environment : List.of(batch, streaming)) {
            run(environment, "USE CATALOG default_catalog");
            run(environment, "DROP CATALOG loam");
        }
    }

    private void createDocs() throws Exception {
        run(batch, DOCS);
        run(batch, "INSERT INTO docs VALUES (1, 10)");
    }

    private void assertDocsAreAsTheyWere() throws Exception {
        assertThat(lines(batch, "SELECT * FROM docs")).containsExactly("+I[1, 10]");
        assertThat(lines(batch, "SHOW TABLES")).containsExactly("+I[docs]");
    }

    private void refused(StreamTableEnvironment environment, String statement, String message)
            throws IOException {
        assertThatThrownBy(() -> run(environment, statement)).hasStackTraceContaining(message);
        assertThat(staged()).isEmpty();
    }

    private List<CollectionInfo> staged() throws IOException {
        try (Warehouse opened = Warehouse.open(warehouse())) {
            return opened.metastore().stagedCollections("default");
        }
    }

    private long id(String name) throws IOException {
        return reading(name, collection -> collection.info().id());
    }

    /** Flink tells a job's client that it has ended before it tells the job's hooks. */
    private void awaitNothingStaged() {
        Awaitility.await().atMost(Duration.ofMinutes(10)).until(() -> staged().isEmpty());
    }

    /** Returns when the statement's query has begun and waits. */
    private TableResult begun(String statement) {
        TableResult result = batch.executeSql(statement);
        Awaitility.await().atMost(Duration.ofMinutes(10)).until(() -> Held.CALLS.get() > 0);
        return result;
    }

    private static void end(TableResult result) throws Exception {
        Held.letGo.countDown();
        result.await(10, TimeUnit.MINUTES);
    }

    @Test
    void aTableIsMadeAndFilled() throws Exception {
        run(batch, "CREATE TABLE words" + KEY + QUERY);

        assertThat(lines(batch, "SELECT * FROM words ORDER BY word"))
                .containsExactly("+I[a, 2]", "+I[b, 1]");
        assertThat(lines(batch, "SHOW TABLES")).containsExactly("+I[words]");
        assertThat(lines(batch, "SHOW CREATE TABLE words").get(0))
                .contains("PRIMARY KEY (`word`)")
                .contains("`many` BIGINT NOT NULL");
        assertThat(lines(batch, "SELECT version FROM words$manifests")).containsExactly("+I[1]");
        assertThat(staged()).isEmpty();
        run(batch, "INSERT INTO words VALUES ('c', 7)");
        assertThat(lines(batch, "SELECT COUNT(*) FROM words")).containsExactly("+I[3]");
    }

    @Test
    void anEmptyResultIsAnEmptyTable() throws Exception {
        run(batch, "CREATE TABLE words" + KEY + QUERY.replace("GROUP", "WHERE word = 'x' GROUP"));
        assertThat(lines(batch, "SHOW TABLES")).containsExactly("+I[words]");
        assertThat(lines(batch, "SELECT * FROM words")).isEmpty();
        assertThat(staged()).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "CREATE TABLE words",
                "CREATE TABLE IF NOT EXISTS words",
                "CREATE OR REPLACE TABLE words",
                "CREATE OR REPLACE TABLE docs",
                "REPLACE TABLE docs"
            })
    void aFailingQueryChangesNothing(String statement) throws Exception {
        createDocs();
        assertThatThrownBy(() -> run(batch, statement + KEY + FAILING))
                .hasStackTraceContaining("NumberFormatException");
        awaitNothingStaged();
        assertDocsAreAsTheyWere();
        run(batch, "INSERT INTO docs VALUES (1, 10)");
        assertDocsAreAsTheyWere();
    }

    @ParameterizedTest
    @ValueSource(strings = {"REPLACE TABLE docs", "CREATE OR REPLACE TABLE docs"})
    void whatIsReplacedIsThereUntilTheNewTableIsComplete(String statement) throws Exception {
        createDocs();
        long before = id("docs");
        TableResult result = begun(statement + KEY + HELD);

        assertThat(staged()).hasSize(1);
        assertDocsAreAsTheyWere();
        assertThat(id("docs")).isEqualTo(before);
        end(result);

        assertThat(lines(batch, "SELECT * FROM docs ORDER BY word"))
                .containsExactly("+I[a, 2]", "+I[b, 1]");
        assertThat(lines(batch, "SHOW TABLES")).containsExactly("+I[docs]");
        assertThat(id("docs")).isNotEqualTo(before);
        assertThat(staged()).isEmpty();
        try (Warehouse opened = Warehouse.open(warehouse())) {
            assertThat(opened.metastore().retiredPaths())
                    .extracting(RetiredPath::path)
                    .contains("ns/1/collections/" + before + "/");
        }
    }

    @Test
    void aTableThatIsThereStaysIfThatIsAsked() throws Exception {
        createDocs();
        Held.letGo.countDown();
        run(batch, "CREATE TABLE IF NOT EXISTS docs" + KEY + HELD);
        assertDocsAreAsTheyWere();
        assertThat(Held.CALLS).as("the query does not run").hasValue(0);
        run(batch, "CREATE TABLE IF NOT EXISTS words" + KEY + HELD);
        assertThat(lines(batch, "SELECT many FROM words")).containsExactly("+I[2]", "+I[1]");
        assertThat(staged()).isEmpty();
    }

    @Test
    void aNameThatIsTakenMeanwhileFailsTheStatement() throws Exception {
        TableResult result = begun("CREATE TABLE docs" + KEY + HELD);
        createDocs();
        assertThatThrownBy(() -> end(result))
                .hasStackTraceContaining("collection docs is not published: another one got the")
                .hasStackTraceContaining("run the statement again");
        awaitNothingStaged();
        assertDocsAreAsTheyWere();
    }

    @Test
    void aTableThatIsMadeMeanwhileStaysIfThatIsAsked() throws Exception {
        TableResult result = begun("CREATE TABLE IF NOT EXISTS docs" + KEY + HELD);
        createDocs();
        end(result);
        awaitNothingStaged();
        assertDocsAreAsTheyWere();
    }

    /** Neither what the statement meant to replace nor what it made is taken for the other. */
    @Test
    void anotherTableThanTheOneItSawIsNotReplaced() throws Exception {
        run(batch, "CREATE TABLE docs (other INT, PRIMARY KEY (other) NOT ENFORCED)");
        TableResult result = begun("REPLACE TABLE docs" + KEY + HELD);
        run(batch, "DROP TABLE docs");
        createDocs();
        assertThatThrownBy(() -> end(result)).hasStackTraceContaining("is not published");
        awaitNothingStaged();
        assertDocsAreAsTheyWere();
    }

    @Test
    void aCancelledStatementChangesNothing() throws Exception {
        createDocs();
        TableResult result = begun("REPLACE TABLE docs" + KEY + HELD);
        JobClient job = result.getJobClient().orElseThrow();
        job.cancel().get(10, TimeUnit.MINUTES);
        awaitNothingStaged();
        assertDocsAreAsTheyWere();
    }

    @Test
    void whatCannotBeOneIsRefusedBeforeAnythingIsMade() throws Exception {
        createDocs();
        String option = "option table.rtas-ctas.atomicity-enabled: collection \"";
        refused(batch, "CREATE TABLE docs" + KEY + QUERY, option + "docs\"");
        refused(batch, "CREATE TABLE docs" + KEY + QUERY, "already exists");
        refused(batch, "REPLACE TABLE words" + KEY + QUERY, "doesn't exist");
        refused(batch, "CREATE TABLE nowhere.words" + KEY + QUERY, "nowhere");
        refused(batch, "CREATE TABLE words" + QUERY, "PRIMARY KEY");
        refused(batch, "CREATE TABLE docs$manifests" + KEY + QUERY, "tells of table");
        refused(
                streaming,
                "CREATE TABLE words" + KEY + QUERY,
                option
                        + "words\" of namespace \"default\" cannot be made and filled as one: only a job");
        refused(
                batch,
                "CREATE TABLE words"
                        + KEY
                        + " WITH ('sink.mode' = 'stream', 'properties.bootstrap.servers' = 'x:1')"
                        + QUERY,
                "'sink.mode' = 'stream' writes no collection itself");
        refused(
                batch,
                "CREATE TABLE default_catalog.default_database.words" + KEY + with() + QUERY,
                "that takes a catalog of 'type' = 'loam'");
        run(batch, "CALL sys.create_tag(`table` => 'docs', tag => 'kept', protect => true)");
        refused(batch, "REPLACE TABLE docs" + KEY + QUERY, "protected by the tag kept");
        assertDocsAreAsTheyWere();
    }

    @Test
    void explainingMakesNothing() throws Exception {
        createDocs();
        assertThat(lines(batch, "EXPLAIN CREATE TABLE words" + KEY + QUERY).get(0))
                .contains("Sink");
        String vectors =
                "REPLACE TABLE docs (PRIMARY KEY (id) NOT ENFORCED)"
                        + " WITH ('fields.vec.dimension' = '1')"
                        + " AS SELECT 2 AS id, ARRAY[CAST(1 AS FLOAT)] AS vec";
        assertThat(lines(batch, "EXPLAIN " + vectors).get(0)).contains("Sink");
        assertThat(staged()).isEmpty();
        assertDocsAreAsTheyWere();
        run(batch, vectors);
        assertThat(lines(batch, "SELECT * FROM docs")).containsExactly("+I[2, [1.0]]");
    }
}
