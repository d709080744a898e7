package io.loam.flink.connector.table;

import org.apache.flink.configuration.Configuration;
import org.apache.flink.table.api.DataTypes;
import org.apache.flink.table.api.Schema;
import org.apache.flink.table.catalog.CatalogTable;
import org.apache.flink.table.catalog.Column;
import org.apache.flink.table.catalog.ObjectIdentifier;
import org.apache.flink.table.catalog.ResolvedCatalogTable;
import org.apache.flink.table.catalog.ResolvedSchema;
import org.apache.flink.table.catalog.UniqueConstraint;
import org.apache.flink.table.factories.FactoryUtil;
import org.junit.jupiter.api.Test;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** What is wrong with a table is said by name. */
class LoamDynamicTableFactoryTest {
    private static final List<Column> COLUMNS =
            List.of(
                    Column.physical("id", DataTypes.STRING().notNull()),
                    Column.physical("vec", DataTypes.ARRAY(DataTypes.FLOAT())),
                    Column.physical("n", DataTypes.INT()));

    private static ResolvedSchema schema(List<Column> columns) {
        return new ResolvedSchema(
                columns, List.of(), UniqueConstraint.primaryKey("pk", List.of("id")));
    }

    private static void refused(ResolvedSchema schema, String message, String... options) {
        Map<String, String> all = new HashMap<>();
        all.put("connector", "loam");
        all.put("warehouse", "/tmp/warehouse");
        for (int i = 0; i < options.length; i += 2) {
            all.put(options[i], options[i + 1]);
        }
        CatalogTable table =
                CatalogTable.newBuilder()
                        .schema(Schema.newBuilder().fromResolvedSchema(schema).build())
                        .options(all)
                        .build();
        assertThatThrownBy(
                        () ->
                                FactoryUtil.createDynamicTableSink(
                                        null,
                                        ObjectIdentifier.of("c", "d", "t"),
                                        new ResolvedCatalogTable(table, schema),
                                        Map.of(),
                                        new Configuration(),
                                        LoamDynamicTableFactoryTest.class.getClassLoader(),
                                        false))
                .hasStackTraceContaining(message);
    }

    @Test
    void aTableNeedsAKey() {
        refused(
                new ResolvedSchema(COLUMNS, List.of(), null),
                "needs a key: add PRIMARY KEY (<column>) NOT ENFORCED");
    }

    @Test
    void optionsAreChecked() {
        ResolvedSchema schema = schema(COLUMNS);
        refused(schema, "Unsupported options found", "collektion", "x");
        refused(schema, "table c.d.t has no such column", "fields.m.kind", "text");
        refused(
                schema,
                "option fields.n.kind: give one of none, text, keyword, i64, f64, bool, date, uuid,"
                        + " json, not \"int\"",
                "fields.n.kind",
                "int");
        refused(schema, "option fields.n.analyser means nothing", "fields.n.analyser", "x");
        refused(
                schema,
                "option fields.n.dimension: a dense vector is an ARRAY<FLOAT> or ARRAY<DOUBLE>, not"
                        + " INT",
                "fields.n.dimension",
                "3");
        refused(
                schema,
                "option fields.vec.distance: give one of cosine, dot, euclid, manhattan, not \"l2\"",
                "fields.vec.dimension",
                "3",
                "fields.vec.distance",
                "l2");
        refused(
                schema,
                "option fields.vec.index: give one of auto, none, ivf_pq, ivf_rq, ivf_hnsw_sq, not"
                        + " \"hnsw\"",
                "fields.vec.dimension",
                "3",
                "fields.vec.index",
                "hnsw");
        refused(
                schema,
                "option fields.vec.dimension: give a whole number, not \"many\"",
                "fields.vec.dimension",
                "many");
        refused(schema, "option sink.unit.max-rows", "sink.unit.max-rows", "many");
        refused(schema, "which has no settings such as s3.endpoint", "s3.endpoint", "x");
    }

    @Test
    void typesAreChecked() {
        refused(
                schema(
                        List.of(
                                COLUMNS.get(0),
                                Column.physical("gap", DataTypes.INTERVAL(DataTypes.DAY())))),
                "column gap: a collection cannot keep the type INTERVAL DAY(2)");
    }

    @Test
    void metadataIsNotWritten() {
        List<Column> columns = new ArrayList<>(COLUMNS);
        columns.add(Column.metadata("at", DataTypes.BIGINT(), "_version", true));
        columns.add(Column.metadata("row_id", DataTypes.BIGINT(), "_rowid", false));
        refused(
                schema(columns),
                "column row_id: table c.d.t is written, and a collection takes no metadata from its"
                        + " rows; declare the column as METADATA ... VIRTUAL");
    }
}
