package io.loam.flink.connector.table;

import io.loam.codec.json.Json;
import io.loam.codec.json.JsonValue;
import io.loam.codec.json.JsonValue.JsonArray;
import io.loam.codec.json.JsonValue.JsonBoolean;
import io.loam.codec.json.JsonValue.JsonDouble;
import io.loam.codec.json.JsonValue.JsonInteger;
import io.loam.codec.json.JsonValue.JsonNull;
import io.loam.codec.json.JsonValue.JsonObject;
import io.loam.codec.json.JsonValue.JsonString;

import org.apache.flink.table.data.DecimalData;
import org.apache.flink.table.data.GenericArrayData;
import org.apache.flink.table.data.GenericMapData;
import org.apache.flink.table.data.GenericRowData;
import org.apache.flink.table.data.StringData;
import org.apache.flink.table.types.logical.ArrayType;
import org.apache.flink.table.types.logical.DecimalType;
import org.apache.flink.table.types.logical.LogicalType;
import org.apache.flink.table.types.logical.MapType;
import org.apache.flink.table.types.logical.RowType;

import javax.annotation.Nullable;

import java.io.Serializable;
import java.math.BigDecimal;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Reads JSON as a SQL type, into Flink's internal form: what {@link JsonWriter} wrote, and what
 * other writers of a collection may have meant. A number may come as a string; any value reads as a
 * string: numbers, booleans, arrays and objects as their JSON text. What is none of the type is a
 * {@link ValueException}.
 */
@FunctionalInterface
interface JsonReader extends Serializable {
    /** The value; of JSON null, null. */
    @Nullable
    Object read(JsonValue value);

    /** The reader of a type that {@link JsonWriter} can write. */
    static JsonReader of(LogicalType type) {
        JsonReader reader = ofNotNull(type);
        return value -> value instanceof JsonNull ? null : reader.read(value);
    }

    private static JsonReader ofNotNull(LogicalType type) {
        switch (type.getTypeRoot()) {
            case CHAR:
            case VARCHAR:
                return value -> StringData.fromString(text(value));
            case BOOLEAN:
                return JsonReader::bool;
            case TINYINT:
                return value -> (byte) integer(value, Byte.MIN_VALUE, Byte.MAX_VALUE, type);
            case SMALLINT:
                return value -> (short) integer(value, Short.MIN_VALUE, Short.MAX_VALUE, type);
            case INTEGER:
                return value -> (int) integer(value, Integer.MIN_VALUE, Integer.MAX_VALUE, type);
            case BIGINT:
                return value -> integer(value, Long.MIN_VALUE, Long.MAX_VALUE, type);
            case FLOAT:
                return value -> {
                    float real = (float) real(value, type);
                    if (Float.isInfinite(real)) {
                        throw not(value, type.asSummaryString());
                    }
                    return real;
                };
            case DOUBLE:
                return value -> real(value, type);
            case DECIMAL:
                return value -> decimal(value, (DecimalType) type);
            case DATE:
                return value -> JsonTimes.date(value);
            case TIME_WITHOUT_TIME_ZONE:
                return value -> JsonTimes.time(value);
            case TIMESTAMP_WITHOUT_TIME_ZONE:
            case TIMESTAMP_WITH_LOCAL_TIME_ZONE:
                return value -> JsonTimes.timestamp(value);
            case BINARY:
            case VARBINARY:
                return JsonReader::bytes;
            case ARRAY:
                return array((ArrayType) type);
            case MAP:
                return map((MapType) type);
            case ROW:
                return row((RowType) type);
            default:
                throw new IllegalStateException("a collection keeps no " + type);
        }
    }

    private static String text(JsonValue value) {
        return value instanceof JsonString string ? string.value() : Json.text(value);
    }

    private static Object bool(JsonValue value) {
        if (value instanceof JsonBoolean bool) {
            return bool.value();
        }
        String text = text(value);
        if (text.equals("true") || text.equals("false")) {
            return text.equals("true");
        }
        throw not(value, "a BOOLEAN");
    }

    private static long integer(JsonValue value, long min, long max, LogicalType type) {
        try {
            long integer =
                    value instanceof JsonInteger exact && !exact.unsigned()
                            ? exact.value()
                            : decimal(value, type).longValueExact();
            if (integer >= min && integer <= max) {
                return integer;
            }
        } catch (ArithmeticException e) {
            throw not(value, type.asSummaryString(), e);
        }
        throw not(value, type.asSummaryString());
    }

    private static double real(JsonValue value, LogicalType type) {
        double real =
                value instanceof JsonDouble number
                        ? number.value() // -0.0 as it is
                        : decimal(value, type).doubleValue();
        if (Double.isInfinite(real)) {
            throw not(value, type.asSummaryString());
        }
        return real;
    }

    private static BigDecimal decimal(JsonValue value, LogicalType type) {
        if (value instanceof JsonDouble number) {
            return BigDecimal.valueOf(number.value());
        }
        if (value instanceof JsonInteger || value instanceof JsonString) {
            try {
                return new BigDecimal(text(value));
            } catch (NumberFormatException e) {
                throw not(value, type.asSummaryString(), e);
            }
        }
        throw not(value, type.asSummaryString());
    }

    private static Object decimal(JsonValue value, DecimalType type) {
        DecimalData decimal =
                DecimalData.fromBigDecimal(
                        decimal(value, (LogicalType) type), type.getPrecision(), type.getScale());
        if (decimal == null) {
            throw not(value, type.asSummaryString());
        }
        return decimal;
    }

    private static Object bytes(JsonValue value) {
        try {
            return Base64.getDecoder().decode(text(value));
        } catch (IllegalArgumentException e) {
            throw not(value, "Base64", e);
        }
    }

    private static JsonReader array(ArrayType type) {
        JsonReader element = of(type.getElementType());
        return value -> {
            // One value is an array of one: fields of documents have any number of values.
            List<JsonValue> values =
                    value instanceof JsonArray array ? array.values() : List.of(value);
            return new GenericArrayData(values.stream().map(element::read).toArray());
        };
    }

    private static JsonReader map(MapType type) {
        JsonReader element = of(type.getValueType());
        return value -> {
            if (!(value instanceof JsonObject object)) {
                throw not(value, "an object");
            }
            Map<StringData, Object> members = new LinkedHashMap<>();
            object.members()
                    .forEach(
                            (name, member) ->
                                    members.put(StringData.fromString(name), element.read(member)));
            return new GenericMapData(members);
        };
    }

    private static JsonReader row(RowType type) {
        int size = type.getFieldCount();
        String[] names = type.getFieldNames().toArray(String[]::new);
        JsonReader[] readers = new JsonReader[size];
        for (int i = 0; i < size; i++) {
            readers[i] = of(type.getTypeAt(i));
        }
        return value -> {
            if (!(value instanceof JsonObject object)) {
                throw not(value, "an object");
            }
            GenericRowData row = new GenericRowData(size);
            for (int i = 0; i < size; i++) {
                JsonValue member = object.members().get(names[i]);
                row.setField(i, member == null ? null : readers[i].read(member));
            }
            return row;
        };
    }

    /** The error that a value is not what it should be. */
    static ValueException not(JsonValue value, String wanted) {
        return not(value, wanted, null);
    }

    /** The same with what told so. */
    static ValueException not(JsonValue value, String wanted, @Nullable Exception cause) {
        String text = Json.text(value);
        return new ValueException(
                (text.length() <= 80 ? text : text.substring(0, 80) + "...") + " is not " + wanted);
    }
}
