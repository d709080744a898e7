package io.loam.flink.connector.table;

import io.loam.codec.schema.CollectionSchema;
import io.loam.codec.schema.CollectionSchema.Dynamic;

import org.apache.flink.table.api.DataTypes;
import org.apache.flink.table.api.Schema;
import org.apache.flink.table.catalog.CatalogTable;
import org.apache.flink.table.catalog.Column;
import org.apache.flink.table.catalog.ResolvedCatalogTable;
import org.apache.flink.table.catalog.ResolvedSchema;
import org.apache.flink.table.catalog.UniqueConstraint;
import org.apache.flink.table.catalog.exceptions.CatalogException;
import org.apache.flink.table.types.DataType;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** A table comes back from its annotation as it went. */
class TableAnnotationTest {
    private static final List<DataType> TYPES =
            List.of(
                    DataTypes.CHAR(3),
                    DataTypes.VARCHAR(7),
                    DataTypes.STRING(),
                    DataTypes.BOOLEAN(),
                    DataTypes.BINARY(16),
                    DataTypes.VARBINARY(5),
                    DataTypes.BYTES(),
                    DataTypes.DECIMAL(20, 4),
                    DataTypes.TINYINT(),
                    DataTypes.SMALLINT(),
                    DataTypes.INT(),
                    DataTypes.BIGINT(),
                    DataTypes.FLOAT(),
                    DataTypes.DOUBLE(),
                    DataTypes.DATE(),
                    DataTypes.TIME(3),
                    DataTypes.TIMESTAMP(9),
                    DataTypes.TIMESTAMP_LTZ(3),
                    DataTypes.ARRAY(DataTypes.FLOAT().notNull()),
                    DataTypes.MAP(DataTypes.STRING(), DataTypes.INT()),
                    DataTypes.ROW(
                            DataTypes.FIELD("a b", DataTypes.INT(), "what it is"),
                            DataTypes.FIELD("c", DataTypes.ROW(DataTypes.STRING()).notNull())),
                    DataTypes.MAP(DataTypes.INT(), DataTypes.FLOAT()));

    private static CollectionSchema schema(String annotation) {
        return new CollectionSchema(
                1,
                List.of(),
                List.of(),
                List.of(),
                Dynamic.IGNORE,
                1000,
                Map.of(TableAnnotation.KEY, annotation));
    }

    private static ResolvedCatalogTable table(List<Column> columns, Map<String, String> options) {
        ResolvedSchema schema =
                new ResolvedSchema(
                        columns, List.of(), UniqueConstraint.primaryKey("pk", List.of("id")));
        CatalogTable table =
                CatalogTable.newBuilder()
                        .schema(Schema.newBuilder().fromResolvedSchema(schema).build())
                        .comment("a \"table\"")
                        .options(options)
                        .build();
        return new ResolvedCatalogTable(table, schema);
    }

    @Test
    void theFormatIsAsDescribed() {
        String printed =
                TableAnnotation.print(
                        table(
                                List.of(
                                        Column.physical("id", DataTypes.STRING().notNull()),
                                        Column.physical("n", DataTypes.INT())
                                                .withComment("how many"),
                                        Column.metadata("v", DataTypes.BIGINT(), "_version", true)),
                                Map.of("fields.n.fast", "false", "partitions", "2")));
        assertThat(printed)
                .isEqualTo(
                        "{\"version\":1,\"columns\":[{\"name\":\"id\",\"type\":\"VARCHAR(2147483647)"
                                + " NOT NULL\"},{\"name\":\"n\",\"type\":\"INT\",\"comment\":\"how"
                                + " many\"},{\"name\":\"v\",\"type\":\"BIGINT\",\"metadata\":\"_version\","
                                + "\"virtual\":true}],\"key\":{\"name\":\"pk\",\"columns\":[\"id\"]},"
                                + "\"comment\":\"a \\\"table\\\"\",\"options\":{\"fields.n.fast\":\"false\","
                                + "\"partitions\":\"2\"}}");
    }

    @Test
    void everyTypeComesBack() {
        List<Column> columns = new ArrayList<>();
        columns.add(Column.physical("id", DataTypes.STRING().notNull()));
        Schema.Builder expected = Schema.newBuilder().column("id", "VARCHAR(2147483647) NOT NULL");
        for (DataType type : TYPES) {
            for (DataType either : List.of(type, type.notNull())) {
                String name = "c" + columns.size();
                columns.add(Column.physical(name, either));
                expected.column(name, either.getLogicalType().asSerializableString());
            }
        }
        CatalogTable read =
                TableAnnotation.read(schema(TableAnnotation.print(table(columns, Map.of()))))
                        .orElseThrow();
        assertThat(read.getUnresolvedSchema())
                .hasToString(expected.primaryKeyNamed("pk", "id").build().toString());
        assertThat(read.getComment()).isEqualTo("a \"table\"");
    }

    @Test
    void optionsComeBack() {
        Map<String, String> options = Map.of("a", "", "fields.x.kind", "\"ü\n");
        List<Column> columns = List.of(Column.physical("id", DataTypes.STRING().notNull()));
        assertThat(
                        TableAnnotation.read(schema(TableAnnotation.print(table(columns, options))))
                                .orElseThrow()
                                .getOptions())
                .isEqualTo(options);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "[]",
                "{}",
                "{\"version\":2,\"columns\":[],\"options\":{}}",
                "{\"version\":1,\"columns\":{},\"options\":{}}",
                "{\"version\":1,\"columns\":[1],\"options\":{}}",
                "{\"version\":1,\"columns\":[{\"name\":\"a\"}],\"options\":{}}",
                "{\"version\":1,\"columns\":[],\"options\":{\"a\":1}}"
            })
    void whatIsNoneIsRefused(String annotation) {
        assertThatThrownBy(() -> TableAnnotation.read(schema(annotation)))
                .isInstanceOf(CatalogException.class)
                .hasMessageContaining("annotation loams.flink-table: ");
    }
}
