package io.loam.flink.connector.table;

import io.loam.codec.schema.CollectionSchema;
import io.loam.codec.schema.CollectionSchema.Field;
import io.loam.codec.schema.CollectionSchema.FieldKind;
import io.loam.codec.schema.CollectionSchema.Vector;

import org.apache.flink.table.api.DataTypes;
import org.apache.flink.table.api.Schema;
import org.apache.flink.table.catalog.CatalogTable;
import org.apache.flink.table.types.DataType;

import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * The table of a collection that no table was created for, from its schema: {@value #KEY}, the
 * members of documents that fields are made of, vectors, and the metadata column {@value #SOURCE},
 * the whole document.
 */
final class DerivedTable {
    /** The document's key, of any kind, as text. */
    static final String KEY = "_pk";

    static final String SOURCE = "_source";

    private DerivedTable() {}

    static CatalogTable of(CollectionSchema schema) {
        Map<String, DataType> columns = new LinkedHashMap<>();
        Map<String, String> options = new HashMap<>();
        columns.put(KEY, DataTypes.STRING().notNull());
        options.put(LoamConnectorOptions.FIELDS + KEY + ".kind", "key");
        for (Field field : schema.fields()) {
            String path = field.sourcePath();
            if (isColumn(path)) {
                columns.putIfAbsent(path, type(field.kind()));
            }
        }
        for (Vector vector : schema.vectors()) {
            if (isColumn(vector.name())) {
                columns.put(vector.name(), DataTypes.ARRAY(DataTypes.FLOAT()));
                options.put(
                        LoamConnectorOptions.FIELDS + vector.name() + ".dimension",
                        Integer.toString(vector.dim()));
            }
        }
        schema.sparseVectors()
                .forEach(
                        sparse -> {
                            if (isColumn(sparse.name())) {
                                columns.put(
                                        sparse.name(),
                                        DataTypes.MAP(
                                                DataTypes.BIGINT().notNull(), DataTypes.FLOAT()));
                            }
                        });
        // A field takes more forms of a value than a type does, and more than one value.
        options.put(LoamConnectorOptions.IGNORE_PARSE_ERRORS.key(), "true");
        Schema.Builder table = Schema.newBuilder();
        columns.forEach(table::column);
        table.columnByMetadata(SOURCE, DataTypes.STRING().notNull(), true).primaryKey(KEY);
        return CatalogTable.newBuilder().schema(table.build()).options(options).build();
    }

    /** A column is one member of the document; one inside another is in the document only. */
    private static boolean isColumn(String name) {
        return !name.isEmpty()
                && name.indexOf('.') < 0
                && !name.equals(KEY)
                && !name.equals(SOURCE);
    }

    private static DataType type(FieldKind kind) {
        if (kind instanceof FieldKind.I64) {
            return DataTypes.BIGINT();
        }
        if (kind instanceof FieldKind.F64) {
            return DataTypes.DOUBLE();
        }
        if (kind instanceof FieldKind.Bool) {
            return DataTypes.BOOLEAN();
        }
        return kind instanceof FieldKind.Date ? DataTypes.TIMESTAMP_LTZ(3) : DataTypes.STRING();
    }
}
