package io.loam.flink.connector.table;

import org.apache.flink.table.api.bridge.java.StreamTableEnvironment;
import org.junit.jupiter.api.Test;

import java.util.List;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** A round of side jobs by a statement. */
class MaintainITCase extends TableTestBase {
    private static final int STATEMENTS = 10;

    @Test
    void mergesAndCompacts() throws Exception {
        for (StreamTableEnvironment environment : List.of(batch, streaming)) {
            environment.executeSql(
                    "CREATE CATALOG loam WITH ('type' = 'loam', 'warehouse' = '"
                            + directory.resolve("warehouse")
                            + "')");
            environment.executeSql("USE CATALOG loam");
        }
        batch.executeSql(
                "CREATE TABLE docs (id BIGINT, title STRING, PRIMARY KEY (id) NOT ENFORCED)");
        for (int i = 0; i < STATEMENTS; i++) {
            run(batch, "INSERT INTO docs VALUES (%d, 'fox %d')".formatted(i, i));
        }
        assertThat(lines(batch, "CALL sys.maintain('default.docs')"))
                .hasSize(2)
                .anyMatch(line -> line.startsWith("+I[published, merge 10 splits from "))
                .anyMatch(line -> line.startsWith("+I[published, compact fragments "))
                .allMatch(line -> line.endsWith(", " + (STATEMENTS + 1) + "]"));
        assertThat(lines(batch, "SELECT COUNT(*) FROM docs$splits")).containsExactly("+I[1]");
        assertThat(lines(batch, "SELECT COUNT(*) FROM docs$fragments")).containsExactly("+I[1]");
        assertThat(lines(batch, "SELECT COUNT(*) FROM docs"))
                .containsExactly("+I[" + STATEMENTS + "]");
        assertThat(lines(streaming, "CALL sys.maintain('docs')")).isEmpty();
        assertThat(lines(batch, "CALL sys.verify('docs')"))
                .contains("+I[verified, 10 keys, 0 violations, 0]");
        assertThatThrownBy(() -> lines(batch, "CALL sys.maintain('nope')"))
                .hasStackTraceContaining("there is no collection \"nope\"");
    }
}
