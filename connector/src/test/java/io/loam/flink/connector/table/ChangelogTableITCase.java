package io.loam.flink.connector.table;

import org.apache.flink.table.api.TableResult;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.util.List;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** A table's changes as the input of statements. */
class ChangelogTableITCase extends TableTestBase {
    private static final String CHANGES =
            " /*+ OPTIONS('scan.mode' = 'full', 'scan.discovery-interval' = '50 ms') */";

    @Test
    void aTableFollowsAnother() throws Exception {
        create(
                "CREATE TABLE docs (id BIGINT, tag STRING, n INT, PRIMARY KEY (id) NOT ENFORCED)"
                        + with());
        create(
                "CREATE TABLE sums (tag STRING, many BIGINT, total INT,"
                        + " PRIMARY KEY (tag) NOT ENFORCED)"
                        + with());
        run(batch, "INSERT INTO docs VALUES (1, 'a', 10), (2, 'a', 20), (3, 'b', 30)");
        TableResult copying =
                streaming.executeSql(
                        "INSERT INTO sums SELECT tag, COUNT(*), SUM(n) FROM docs"
                                + CHANGES
                                + " GROUP BY tag");
        try {
            awaitSums(copying, "+I[a, 2, 30]", "+I[b, 1, 30]");
            run(batch, "INSERT INTO docs VALUES (2, 'b', 21), (4, 'c', 40)");
            run(batch, "INSERT INTO docs (id, n) VALUES (1, 11)");
            awaitSums(copying, "+I[a, 1, 11]", "+I[b, 2, 51]", "+I[c, 1, 40]");
            run(batch, "DELETE FROM docs WHERE id = 4");
            awaitSums(copying, "+I[a, 1, 11]", "+I[b, 2, 51]");
            run(batch, "TRUNCATE TABLE docs");
            awaitSums(copying);
        } finally {
            cancel(copying);
        }
    }

    private void awaitSums(TableResult copying, String... expected) {
        Awaitility.await()
                .pollInSameThread() // the planner knows its thread
                .atMost(Duration.ofMinutes(10))
                .pollDelay(Duration.ofMillis(200))
                .untilAsserted(
                        () -> {
                            assertThat(
                                            copying.getJobClient()
                                                    .orElseThrow()
                                                    .getJobStatus()
                                                    .get()
                                                    .isTerminalState())
                                    .isFalse();
                            assertThat(sums()).containsExactly(expected);
                        });
    }

    private List<String> sums() throws Exception {
        return lines(batch, "SELECT * FROM sums ORDER BY tag");
    }

    @Test
    void batchExecutionReadsNoChanges() throws Exception {
        create("CREATE TABLE docs (id BIGINT, n INT, PRIMARY KEY (id) NOT ENFORCED)" + with());
        run(batch, "INSERT INTO docs VALUES (1, 10)");
        assertThatThrownBy(() -> batch.explainSql("SELECT * FROM docs" + CHANGES))
                .hasMessageContaining("unbounded");
    }
}
