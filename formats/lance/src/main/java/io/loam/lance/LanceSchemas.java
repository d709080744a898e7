package io.loam.lance;

import io.loam.codec.schema.CollectionSchema;
import io.loam.codec.schema.VectorColumns;
import io.loam.codec.staged.UnitColumn;

import org.apache.arrow.vector.types.FloatingPointPrecision;
import org.apache.arrow.vector.types.pojo.ArrowType;
import org.apache.arrow.vector.types.pojo.Field;
import org.apache.arrow.vector.types.pojo.FieldType;
import org.apache.arrow.vector.types.pojo.Schema;

import java.util.ArrayList;
import java.util.List;

/** Arrow schemas of datasets and data files. */
final class LanceSchemas {
    static final String PK = "_pk";
    static final String SOURCE = "_source";
    static final String PARTITION = "_ingest_partition";
    static final String OFFSET = "_ingest_offset";
    static final String ROW_ID = "_rowid";

    private LanceSchemas() {}

    /** The four columns every dataset starts with. */
    static Schema base() {
        return new Schema(baseFields());
    }

    /** The base columns and every vector column of a schema. */
    static Schema file(CollectionSchema schema) {
        List<Field> fields = baseFields();
        for (UnitColumn column : VectorColumns.of(schema)) {
            fields.add(column.sparse() ? sparse(column.column()) : dense(column));
        }
        return new Schema(fields);
    }

    private static List<Field> baseFields() {
        List<Field> fields = new ArrayList<>();
        fields.add(field(PK, new ArrowType.Binary(), false));
        fields.add(field(SOURCE, new ArrowType.Binary(), false));
        fields.add(field(PARTITION, new ArrowType.Int(32, false), false));
        fields.add(field(OFFSET, new ArrowType.Int(64, false), false));
        return fields;
    }

    private static Field dense(UnitColumn column) {
        return field(
                column.column(),
                new ArrowType.FixedSizeList(column.dimension()),
                true,
                field("item", new ArrowType.FloatingPoint(FloatingPointPrecision.SINGLE), true));
    }

    /** Both lists are nullable, because Lance's compaction fails on null structs otherwise. */
    private static Field sparse(String name) {
        return field(
                name,
                new ArrowType.Struct(),
                true,
                field(
                        "indices",
                        new ArrowType.List(),
                        true,
                        field("item", new ArrowType.Int(32, false), true)),
                field(
                        "values",
                        new ArrowType.List(),
                        true,
                        field(
                                "item",
                                new ArrowType.FloatingPoint(FloatingPointPrecision.SINGLE),
                                true)));
    }

    private static Field field(String name, ArrowType type, boolean nullable, Field... children) {
        return new Field(name, new FieldType(nullable, type, null), List.of(children));
    }
}
