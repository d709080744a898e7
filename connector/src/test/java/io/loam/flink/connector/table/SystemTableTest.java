package io.loam.flink.connector.table;

import org.apache.flink.table.catalog.ObjectPath;
import org.apache.flink.table.types.logical.RowType;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Collectors;

import static org.assertj.core.api.Assertions.assertThat;

/** System tables are found by name, and described. */
class SystemTableTest {
    private static final Path PAGE = Path.of("..", "docs", "sql.md");

    @ParameterizedTest
    @EnumSource
    void theyAreFoundByName(SystemTable table) {
        ObjectPath path = new ObjectPath("db", "a$b$" + table.suffix());
        assertThat(SystemTable.of(path)).contains(table);
        assertThat(SystemTable.subject(path)).isEqualTo(new ObjectPath("db", "a$b"));
        assertThat(SystemTable.of(new ObjectPath("db", "$" + table.suffix()))).isEmpty();
        assertThat(SystemTable.of(new ObjectPath("db", table.suffix()))).isEmpty();
        assertThat(SystemTable.marked(table.table().getOptions())).contains(table);
    }

    @ParameterizedTest
    @EnumSource
    void thePageTellsTheColumns(SystemTable table) throws IOException {
        String columns =
                ((RowType) table.rows().getLogicalType())
                        .getFields().stream()
                                .map(
                                        field ->
                                                "`"
                                                        + field.getName()
                                                        + "` "
                                                        + field.getType()
                                                                .copy(true)
                                                                .asSummaryString())
                                .collect(Collectors.joining(", "));
        assertThat(Files.readString(PAGE))
                .contains("| `$" + table.suffix() + "` | " + columns + " |");
    }
}
