package io.loam.flink.connector.table;

import org.apache.flink.table.api.ExplainDetail;
import org.apache.flink.table.api.TableResult;
import org.apache.flink.types.Row;
import org.apache.flink.util.CloseableIterator;
import org.junit.jupiter.api.Test;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Every statement on the page runs, and every result shown is the result. One without an end is
 * marked and only planned.
 */
class SqlPageITCase extends TableTestBase {
    private static final Path PAGE = Path.of("..", "docs", "sql.md");
    private static final String WAREHOUSE = "/srv/loam/warehouse";
    private static final Pattern SET = Pattern.compile("SET '([^']+)' = '([^']+)'");
    private static final Pattern STATEMENT =
            Pattern.compile(
                    "(<!-- planned -->\n)?```sql\n(.*?);\n```\n(?:\n((?:\\|[^\n]*\n)+))?",
                    Pattern.DOTALL);

    @Test
    void thePageIsTrue() throws Exception {
        Matcher found = STATEMENT.matcher(Files.readString(PAGE));
        int statements = 0;
        while (found.find()) {
            String statement =
                    found.group(2).replace(WAREHOUSE, directory.resolve("warehouse").toString());
            statements++;
            if (found.group(1) != null) { // would not end
                assertThat(streaming.explainSql(statement, ExplainDetail.CHANGELOG_MODE))
                        .as(statement)
                        .contains("changelogMode=[I,UB,UA,D]");
                continue;
            }
            Matcher set = SET.matcher(statement);
            if (set.matches()) { // the client's and the gateway's, not the environment's
                batch.getConfig().set(set.group(1), set.group(2));
                continue;
            }
            if (statement.contains("'connector' = 'loam'")) {
                streaming.executeSql(statement);
            }
            TableResult result = batch.executeSql(statement);
            List<String> lines = lines(result);
            if (found.group(3) != null) {
                assertThat(lines).as(statement).isEqualTo(shown(found.group(3)));
            }
        }
        assertThat(statements).isGreaterThanOrEqualTo(7);
    }

    private static List<String> lines(TableResult result) throws Exception {
        List<String> lines = new ArrayList<>();
        try (CloseableIterator<Row> rows = result.collect()) {
            rows.forEachRemaining(row -> lines.add(line(row)));
        }
        return lines;
    }

    private static String line(Row row) {
        return "| "
                + String.join(
                        " | ",
                        IntStream.range(0, row.getArity())
                                .mapToObj(row::getField)
                                .map(value -> value == null ? "NULL" : value.toString())
                                .toList())
                + " |";
    }

    /** A table without its two head lines. */
    private static List<String> shown(String table) {
        return table.lines().skip(2).toList();
    }
}
