package io.loam.flink.connector.table;

import io.loam.codec.schema.CollectionSchema.FieldKind;

import org.apache.flink.table.types.logical.ArrayType;
import org.apache.flink.table.types.logical.LogicalType;

import java.util.Optional;

/** How a column is indexed, by its type or by the option {@code kind}. */
final class FieldKinds {
    private FieldKinds() {}

    /** The kind of a name; {@code none} is not indexed. */
    static Optional<FieldKind> named(String name, ColumnOptions options) {
        return switch (name) {
            case "none" -> Optional.empty();
            case "text" -> Optional.of(text(options));
            case "keyword" -> Optional.of(new FieldKind.Keyword());
            case "i64" -> Optional.of(new FieldKind.I64());
            case "f64" -> Optional.of(new FieldKind.F64());
            case "bool" -> Optional.of(new FieldKind.Bool());
            case "date" -> Optional.of(new FieldKind.Date());
            case "uuid" -> Optional.of(new FieldKind.Uuid());
            case "json" -> Optional.of(new FieldKind.Json());
            default -> throw new IllegalArgumentException(name);
        };
    }

    /** The kind a type has by default; arrays have that of their elements. */
    static Optional<FieldKind> ofType(LogicalType type, boolean isKey, ColumnOptions options) {
        return switch (type.getTypeRoot()) {
            case CHAR, VARCHAR -> Optional.of(isKey ? new FieldKind.Keyword() : text(options));
            case TINYINT, SMALLINT, INTEGER, BIGINT -> Optional.of(new FieldKind.I64());
            case FLOAT, DOUBLE, DECIMAL -> Optional.of(new FieldKind.F64());
            case BOOLEAN -> Optional.of(new FieldKind.Bool());
            case DATE, TIMESTAMP_WITHOUT_TIME_ZONE, TIMESTAMP_WITH_LOCAL_TIME_ZONE ->
                    Optional.of(new FieldKind.Date());
            case MAP, ROW -> Optional.of(new FieldKind.Json());
            case ARRAY -> ofType(((ArrayType) type).getElementType(), isKey, options);
            default -> Optional.empty();
        };
    }

    private static FieldKind text(ColumnOptions options) {
        return new FieldKind.Text(
                options.text("analyzer").orElse("standard"), options.flag("positions", true));
    }
}
