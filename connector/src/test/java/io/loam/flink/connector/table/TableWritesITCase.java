package io.loam.flink.connector.table;

import io.loam.flink.connector.CollectionSink;
import io.loam.flink.connector.ImplicitStreamSource;
import io.loam.flink.connector.SharedCluster;
import io.loam.flink.connector.testing.SampleSchema;
import io.loam.store.Warehouse;
import io.loam.store.history.DeadLetters;
import io.loam.store.verify.LogReader;
import io.loam.store.verify.Verifier;
import io.loam.store.verify.VerifyReport;

import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.table.api.ValidationException;
import org.apache.flink.table.api.bridge.java.StreamTableEnvironment;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInfo;

import java.util.List;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** DELETE and UPDATE, the sink's modes, and what it does with rows it cannot keep. */
class TableWritesITCase extends TableTestBase {
    private static final String COLUMNS =
            " (id STRING, title STRING, n INT, vec ARRAY<FLOAT>, PRIMARY KEY (id) NOT ENFORCED)";
    private static final String ALL = "SELECT id, title, n, vec FROM docs ORDER BY id";

    private String topic;

    @BeforeEach
    void nameTopic(TestInfo test) {
        topic = getClass().getSimpleName() + "-" + test.getTestMethod().orElseThrow().getName();
    }

    private void createDocs() throws Exception {
        create("CREATE TABLE docs" + COLUMNS + with("fields.vec.dimension", "2"));
        run(
                batch,
                "INSERT INTO docs VALUES ('a', 'one', 1, ARRAY[CAST(1 AS FLOAT), CAST(2 AS FLOAT)]),"
                        + " ('b', 'two', 2, ARRAY[CAST(3 AS FLOAT), CAST(4 AS FLOAT)]),"
                        + " ('c', 'three', 3, ARRAY[CAST(5 AS FLOAT), CAST(6 AS FLOAT)])");
    }

    @Test
    void deleteRemovesWhatMatches() throws Exception {
        createDocs();
        run(batch, "DELETE FROM docs WHERE n >= 2 AND title <> 'two'");
        assertThat(lines(batch, "SELECT id FROM docs ORDER BY id"))
                .containsExactly("+I[a]", "+I[b]");
        run(batch, "DELETE FROM docs");
        assertThat(lines(batch, "SELECT COUNT(*) FROM docs")).containsExactly("+I[0]");
    }

    @Test
    void updateChangesWhatItSetsAndNothingElse() throws Exception {
        createDocs();
        run(batch, "UPDATE docs SET n = n * 10, title = NULLIF(title, 'two') WHERE id <> 'c'");
        assertThat(lines(batch, ALL))
                .containsExactly(
                        "+I[a, one, 10, [1.0, 2.0]]",
                        "+I[b, null, 20, [3.0, 4.0]]",
                        "+I[c, three, 3, [5.0, 6.0]]");
        run(batch, "UPDATE docs SET vec = CAST(NULL AS ARRAY<FLOAT>) WHERE id = 'a'");
        assertThat(lines(batch, "SELECT n, vec FROM docs WHERE id = 'a'"))
                .containsExactly("+I[10, null]");
        assertThatThrownBy(() -> run(batch, "UPDATE docs SET id = 'z' WHERE id = 'a'"))
                .hasStackTraceContaining(
                        "column id is part of the key, which UPDATE cannot change");
    }

    @Test
    void failingAtARowPublishesNothing() throws Exception {
        createDocs();
        create(
                "CREATE TABLE strict"
                        + COLUMNS
                        + with(
                                "fields.vec.dimension", "2",
                                "collection", "docs",
                                "sink.on-error", "fail"));
        // The key is looked at before the sink, the vector in it.
        assertThatThrownBy(() -> run(batch, "INSERT INTO strict (id, n) VALUES ('d', 4), ('', 5)"))
                .hasStackTraceContaining("a row cannot be written: a string key has 1..512 bytes")
                .hasStackTraceContaining("'sink.on-error' = 'dead-letter'");
        assertThatThrownBy(
                        () ->
                                run(
                                        batch,
                                        "INSERT INTO strict (id, vec) VALUES ('d', ARRAY[CAST(1 AS"
                                                + " FLOAT)])"))
                .hasStackTraceContaining("expected 2 dimensions, got 1")
                .hasStackTraceContaining("with sink.on-error = dead-letter");
        assertThat(lines(batch, "SELECT COUNT(*) FROM docs")).containsExactly("+I[3]");
        long version = reading("docs", collection -> collection.live().manifest().version());
        assertThat(version).isEqualTo(1);
    }

    private void createStream(String... more) throws Exception {
        try (Warehouse warehouse = Warehouse.openOrCreate(warehouse())) {
            warehouse.metastore().createCollection("default", "docs", SampleSchema.get(), 3, topic);
        }
        SharedCluster.createTopic(topic, 3);
        String[] options = {
            "sink.mode", "stream", "properties.bootstrap.servers", SharedCluster.brokers()
        };
        String[] all = new String[options.length + more.length];
        System.arraycopy(options, 0, all, 0, options.length);
        System.arraycopy(more, 0, all, options.length, more.length);
        create(
                "CREATE TABLE docs (id STRING, title STRING, n INT, PRIMARY KEY (id) NOT ENFORCED)"
                        + with(all));
    }

    /** Applies what the topic holds, as the apply job does. */
    private VerifyReport applyAndVerify() throws Exception {
        StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
        env.setParallelism(2);
        CollectionSink.builder()
                .warehouse(warehouse())
                .collection("default", "docs")
                .build()
                .addTo(
                        ImplicitStreamSource.builder()
                                .warehouse(warehouse())
                                .collection("default", "docs")
                                .bootstrapServers(SharedCluster.brokers())
                                .bounded(true)
                                .build()
                                .addTo(env));
        env.execute();
        try (LogReader log = SharedCluster.log(topic)) {
            return reading("docs", collection -> Verifier.againstLog(collection, log));
        }
    }

    @Test
    void streamModeAppendsForAnotherJobToApply() throws Exception {
        createStream();
        run(batch, "INSERT INTO docs VALUES ('a', 'one', 1), ('b', 'two', 2), ('c', 'three', 3)");
        run(batch, "INSERT INTO docs (id, n) VALUES ('a', 10)");
        run(batch, "INSERT INTO docs VALUES ('', 'no key', 0)");
        assertThat(lines(batch, "SELECT * FROM docs")).isEmpty();
        assertThat(applyAndVerify().violations()).isEmpty();
        assertThat(lines(batch, "SELECT * FROM docs ORDER BY id"))
                .containsExactly("+I[a, one, 10]", "+I[b, two, 2]", "+I[c, three, 3]");
        List<String> letters =
                reading(
                        "docs",
                        collection ->
                                DeadLetters.read(collection).stream()
                                        .map(entry -> entry.letter().reason())
                                        .toList());
        assertThat(letters).singleElement().asString().startsWith("undecodable");
        run(batch, "DELETE FROM docs WHERE id = 'b'");
        run(batch, "UPDATE docs SET title = 'tres' WHERE n = 3");
        create(
                "CREATE TABLE direct (id STRING, PRIMARY KEY (id) NOT ENFORCED)"
                        + with("collection", "docs"));
        assertThatThrownBy(() -> run(batch, "TRUNCATE TABLE direct"))
                .hasStackTraceContaining("was first written in STREAM mode")
                .hasStackTraceContaining("'sink.mode' = 'stream' appends a deletion");
        assertThat(applyAndVerify().violations()).isEmpty();
        assertThat(lines(batch, "SELECT * FROM docs ORDER BY id"))
                .containsExactly("+I[a, one, 10]", "+I[c, tres, 3]");
    }

    @Test
    void streamModeAppendsExactlyOnceInTransactions() throws Exception {
        createStream(
                "sink.delivery-guarantee", "exactly-once",
                "sink.transactional-id-prefix", topic,
                "properties.transaction.timeout.ms", "600000");
        StreamTableEnvironment env = streaming;
        env.executeSql(
                "CREATE TABLE words (w STRING) WITH ('connector' = 'datagen',"
                        + " 'number-of-rows' = '500', 'fields.w.length' = '1')");
        run(env, "INSERT INTO docs SELECT w, MAX(w), CAST(COUNT(*) AS INT) FROM words GROUP BY w");
        assertThat(applyAndVerify().violations()).isEmpty();
        assertThat(lines(batch, "SELECT SUM(n) FROM docs")).containsExactly("+I[500]");
    }

    @Test
    void streamModeSaysWhatItNeeds() throws Exception {
        create(
                "CREATE TABLE docs (id STRING, PRIMARY KEY (id) NOT ENFORCED)"
                        + with("sink.mode", "stream"));
        assertThatThrownBy(() -> run(batch, "INSERT INTO docs VALUES ('a')"))
                .hasStackTraceContaining(
                        "the sink's mode STREAM needs the option properties.bootstrap.servers");
        create(
                "CREATE TABLE more (id STRING, PRIMARY KEY (id) NOT ENFORCED)"
                        + with(
                                "sink.mode", "stream",
                                "properties.bootstrap.servers", SharedCluster.brokers(),
                                "sink.delivery-guarantee", "exactly-once"));
        assertThatThrownBy(() -> run(batch, "INSERT INTO more VALUES ('a')"))
                .hasStackTraceContaining(
                        "needs the option sink.transactional-id-prefix for the delivery guarantee"
                                + " exactly-once");
        create(
                "CREATE TABLE lost (id STRING, PRIMARY KEY (id) NOT ENFORCED)"
                        + with(
                                "sink.mode",
                                "stream",
                                "properties.bootstrap.servers",
                                SharedCluster.brokers()));
        assertThatThrownBy(() -> run(batch, "INSERT INTO lost VALUES ('a')"))
                .hasStackTraceContaining("has no topic loam.1.");
    }

    @Test
    void aCollectionHasOneMode() throws Exception {
        createDocs();
        create(
                "CREATE TABLE appended (id STRING, PRIMARY KEY (id) NOT ENFORCED)"
                        + with(
                                "collection", "docs",
                                "sink.mode", "stream",
                                "properties.bootstrap.servers", SharedCluster.brokers()));
        assertThatThrownBy(() -> run(batch, "INSERT INTO appended VALUES ('z')"))
                .isInstanceOf(ValidationException.class)
                .hasStackTraceContaining("DIRECT");
    }

    @Test
    void createTableAsSelectFillsACollection() throws Exception {
        createDocs();
        run(
                batch,
                "CREATE TABLE copied (PRIMARY KEY (id) NOT ENFORCED)"
                        + with("fields.vec.dimension", "2")
                        + " AS SELECT id, n, vec FROM docs WHERE n > 1");
        assertThat(lines(batch, "SELECT * FROM copied ORDER BY id"))
                .containsExactly("+I[b, 2, [3.0, 4.0]]", "+I[c, 3, [5.0, 6.0]]");
    }
}
