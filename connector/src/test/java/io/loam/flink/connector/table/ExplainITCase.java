package io.loam.flink.connector.table;

import io.loam.store.Warehouse;

import org.apache.flink.table.api.StatementSet;
import org.apache.flink.table.api.bridge.java.StreamTableEnvironment;
import org.junit.jupiter.api.Test;

import java.nio.file.Files;
import java.util.List;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** A statement that is explained changes nothing. */
class ExplainITCase extends TableTestBase {
    private static final String INSERT = "INSERT INTO docs VALUES (1, 10)";
    private static final String COLUMNS = " (id BIGINT, n INT, PRIMARY KEY (id) NOT ENFORCED)";

    @Test
    void anInsertThatIsExplainedMakesNoCollection() throws Exception {
        create("CREATE TABLE docs" + COLUMNS + with());
        for (StreamTableEnvironment environment : List.of(batch, streaming)) {
            assertThat(environment.explainSql(INSERT)).contains("Sink(table=");
            assertThat(lines(environment, "EXPLAIN PLAN FOR " + INSERT).get(0))
                    .contains("Sink(table=");
            assertThat(lines(environment, "EXPLAIN JSON_EXECUTION_PLAN " + INSERT).get(0))
                    .contains("Collection default.docs");
            StatementSet both = environment.createStatementSet();
            both.addInsertSql(INSERT).addInsertSql("INSERT INTO docs (id) VALUES (2)");
            assertThat(both.explain()).contains("Sink(table=");
        }
        assertThat(Files.exists(directory.resolve("warehouse"))).isFalse();

        try (Warehouse opened = Warehouse.openOrCreate(warehouse())) {
            streaming.explainSql(INSERT);
            assertThat(opened.metastore().collections("default")).isEmpty();
        }
        run(batch, INSERT);
        assertThat(batch.explainSql("UPDATE docs SET n = 1")).contains("Sink(table=");
        assertThat(batch.explainSql("INSERT INTO docs VALUES (1, 11)")).contains("Sink(table=");
        assertThat(lines(batch, "SELECT * FROM docs")).containsExactly("+I[1, 10]");
    }

    @Test
    void whatCannotRunIsNotExplained() {
        create("CREATE TABLE docs" + COLUMNS + with("partitions", "0"));
        assertThatThrownBy(() -> batch.explainSql(INSERT))
                .hasStackTraceContaining("a collection has 1..10000 partitions, not 0");
        create("CREATE TABLE there" + COLUMNS + with("auto-create", "false"));
        assertThatThrownBy(() -> batch.explainSql("INSERT INTO there VALUES (1, 1)"))
                .hasStackTraceContaining("cannot write collection \"there\"");
        assertThat(Files.exists(directory.resolve("warehouse"))).isFalse();
    }
}
