package io.loam.flink.connector.table;

import io.loam.flink.connector.SharedCluster;
import io.loam.store.verify.Verifier;

import org.apache.flink.table.api.TableResult;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.util.List;
import java.util.Map;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** TRUNCATE TABLE: what it removes, and when it refuses to. */
class TruncateITCase extends TableTestBase {
    private static final String COLUMNS = " (id BIGINT, n INT, PRIMARY KEY (id) NOT ENFORCED)";
    private static final String COUNT = "SELECT COUNT(*) FROM docs WHERE id >= 0";

    private long version() throws Exception {
        return reading("docs", collection -> collection.live().manifest().version());
    }

    @Test
    void emptiesACollectionInOneVersion() throws Exception {
        create("CREATE TABLE docs" + COLUMNS + with());
        run(batch, "INSERT INTO docs VALUES (1, 10), (2, 20), (3, 30)");
        run(batch, "INSERT INTO docs VALUES (2, 21)");
        run(batch, "TRUNCATE TABLE docs");
        assertThat(version()).isEqualTo(3);
        assertThat(lines(batch, "SELECT * FROM docs")).isEmpty();
        List<String> violations =
                reading("docs", docs -> Verifier.againstModel(docs, Map.of()).violations());
        assertThat(violations).isEmpty();
        assertThat(lines(batch, "SELECT n FROM docs /*+ OPTIONS('scan.version' = '2') */"))
                .containsExactlyInAnyOrder("+I[10]", "+I[21]", "+I[30]");
        run(batch, "TRUNCATE TABLE docs");
        assertThat(version()).isEqualTo(3);
        run(batch, "INSERT INTO docs VALUES (2, 22)");
        assertThat(lines(batch, "SELECT * FROM docs")).containsExactly("+I[2, 22]");
    }

    /** Its index and what it staged would stand on documents that are gone. */
    @Test
    void leavesTheCollectionOfARunningJobAlone() throws Exception {
        create("CREATE TABLE docs" + COLUMNS + with("sink.lease-ttl", "12 s"));
        streaming.executeSql(
                "CREATE TABLE numbers (n INT) WITH ('connector' = 'datagen',"
                        + " 'rows-per-second' = '100', 'fields.n.min' = '0', 'fields.n.max' = '9')");
        TableResult writing =
                streaming.executeSql("INSERT INTO docs SELECT CAST(n AS BIGINT), n FROM numbers");
        try {
            Awaitility.await()
                    .atMost(Duration.ofMinutes(10))
                    .pollDelay(Duration.ofMillis(200))
                    .until(() -> version() > 0);
            assertThatThrownBy(() -> run(batch, "TRUNCATE TABLE docs"))
                    .hasStackTraceContaining(
                            "collection \"docs\" of namespace \"default\" cannot be truncated while a"
                                    + " job writes it")
                    .hasStackTraceContaining("is held by");
        } finally {
            cancel(writing);
        }
        assertThat(lines(batch, COUNT)).isNotEqualTo(List.of("+I[0]"));
        run(batch, "TRUNCATE TABLE docs");
        assertThat(lines(batch, COUNT)).containsExactly("+I[0]");
    }

    @Test
    void saysWhatToDoInstead() throws Exception {
        create("CREATE TABLE docs" + COLUMNS + with());
        assertThatThrownBy(() -> run(batch, "TRUNCATE TABLE docs"))
                .hasStackTraceContaining("cannot truncate collection \"docs\"");
        create(
                "CREATE TABLE appended"
                        + COLUMNS
                        + with(
                                "sink.mode",
                                "stream",
                                "properties.bootstrap.servers",
                                SharedCluster.brokers()));
        assertThatThrownBy(() -> run(batch, "TRUNCATE TABLE appended"))
                .hasStackTraceContaining(
                        "cannot be truncated: its changes are appended to its stream; DELETE FROM");
    }
}
