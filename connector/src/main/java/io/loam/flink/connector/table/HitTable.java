package io.loam.flink.connector.table;

import io.loam.codec.schema.CollectionSchema;
import io.loam.store.spi.StoredRow;

import org.apache.flink.table.api.DataTypes;
import org.apache.flink.table.api.Schema;
import org.apache.flink.table.api.Schema.UnresolvedColumn;
import org.apache.flink.table.api.Schema.UnresolvedPhysicalColumn;
import org.apache.flink.table.api.Schema.UnresolvedPrimaryKey;
import org.apache.flink.table.catalog.CatalogTable;
import org.apache.flink.table.catalog.Column;
import org.apache.flink.table.catalog.DataTypeFactory;
import org.apache.flink.table.catalog.ResolvedSchema;
import org.apache.flink.table.catalog.UniqueConstraint;
import org.apache.flink.table.data.GenericRowData;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.types.DataType;
import org.apache.flink.table.types.utils.DataTypeUtils;
import org.apache.flink.types.RowKind;

import java.util.ArrayList;
import java.util.List;

/**
 * The columns of hits: those of the table that a collection is in a catalog, computed and metadata
 * columns left out, the source for one that no table was created for; and the score behind them.
 *
 * @param rows makes the columns but for the score
 * @param type of a hit, in Flink's internal form
 */
record HitTable(RowFromDocument rows, DataType type) {
    private static final String SCORE = "score";

    /**
     * The hits of a collection.
     *
     * @param name of the collection, for errors
     */
    static HitTable of(String name, CollectionSchema schema, DataTypeFactory types) {
        CatalogTable annotated = TableAnnotation.read(schema).orElse(null);
        CatalogTable table = annotated == null ? DerivedTable.of(schema) : annotated;
        List<Column> columns = columns(table.getUnresolvedSchema(), types);
        TableColumns physical =
                ColumnPlanner.of(
                                name,
                                new ResolvedSchema(
                                        columns, List.of(), key(table.getUnresolvedSchema())),
                                table.getOptions())
                        .columns();
        List<TableMetadata> metadata =
                annotated == null ? List.of(TableMetadata.SOURCE) : List.of();
        boolean ignoreParseErrors =
                Boolean.parseBoolean(
                        table.getOptions().get(LoamConnectorOptions.IGNORE_PARSE_ERRORS.key()));
        return new HitTable(
                new RowFromDocument(physical, physical.all(), metadata, ignoreParseErrors, null),
                type(columns, metadata));
    }

    private static List<Column> columns(Schema schema, DataTypeFactory types) {
        List<Column> columns = new ArrayList<>();
        for (UnresolvedColumn column : schema.getColumns()) {
            if (column instanceof UnresolvedPhysicalColumn physical) {
                columns.add(
                        Column.physical(
                                column.getName(), types.createDataType(physical.getDataType())));
            }
        }
        return columns;
    }

    private static UniqueConstraint key(Schema schema) {
        UnresolvedPrimaryKey key = schema.getPrimaryKey().orElseThrow();
        return UniqueConstraint.primaryKey(key.getConstraintName(), key.getColumnNames());
    }

    private static DataType type(List<Column> columns, List<TableMetadata> metadata) {
        List<DataTypes.Field> fields = new ArrayList<>();
        columns.forEach(
                column -> fields.add(DataTypes.FIELD(column.getName(), column.getDataType())));
        if (!metadata.isEmpty()) {
            fields.add(DataTypes.FIELD(DerivedTable.SOURCE, DataTypes.STRING().notNull()));
        }
        fields.add(DataTypes.FIELD(score(fields), DataTypes.DOUBLE().notNull()));
        return DataTypeUtils.toInternalDataType(DataTypes.ROW(fields));
    }

    /** As VECTOR_SEARCH names it, and makes the name unique. */
    private static String score(List<DataTypes.Field> fields) {
        List<String> taken = fields.stream().map(DataTypes.AbstractField::getName).toList();
        String name = SCORE;
        for (int i = 0; taken.contains(name); i++) {
            name = SCORE + i;
        }
        return name;
    }

    /** A hit with its score, or distance, behind its columns. */
    static RowData hit(RowFromDocument rows, StoredRow row, long version, double score) {
        GenericRowData columns = (GenericRowData) rows.convert(RowKind.INSERT, row, version);
        GenericRowData hit = new GenericRowData(columns.getArity() + 1);
        for (int i = 0; i < columns.getArity(); i++) {
            hit.setField(i, columns.getField(i));
        }
        hit.setField(columns.getArity(), score);
        return hit;
    }
}
