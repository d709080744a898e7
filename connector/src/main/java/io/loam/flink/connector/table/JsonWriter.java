package io.loam.flink.connector.table;

import io.loam.codec.json.JsonValue;
import io.loam.codec.json.JsonValue.JsonArray;
import io.loam.codec.json.JsonValue.JsonBoolean;
import io.loam.codec.json.JsonValue.JsonDouble;
import io.loam.codec.json.JsonValue.JsonInteger;
import io.loam.codec.json.JsonValue.JsonObject;
import io.loam.codec.json.JsonValue.JsonString;

import org.apache.flink.table.api.ValidationException;
import org.apache.flink.table.data.ArrayData;
import org.apache.flink.table.data.DecimalData;
import org.apache.flink.table.data.MapData;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.data.TimestampData;
import org.apache.flink.table.types.logical.ArrayType;
import org.apache.flink.table.types.logical.LogicalType;
import org.apache.flink.table.types.logical.LogicalTypeFamily;
import org.apache.flink.table.types.logical.MapType;
import org.apache.flink.table.types.logical.RowType;

import javax.annotation.Nullable;

import java.io.Serializable;
import java.time.LocalDate;
import java.time.LocalTime;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Turns values of a SQL type, in Flink's internal form, into JSON.
 *
 * <pre>
 * CHAR, VARCHAR                 string
 * BOOLEAN, TINYINT .. BIGINT    boolean, integer
 * FLOAT, DOUBLE                 number; not finite: {@link ValueException}
 * DECIMAL                       string, so that no digit is lost
 * DATE, TIME, TIMESTAMP         string of ISO 8601; TIMESTAMP_LTZ in UTC with Z
 * BINARY, VARBINARY             string of Base64
 * ARRAY                         array
 * MAP of strings, ROW           object; fields of a row that are null are left out
 * </pre>
 */
@FunctionalInterface
interface JsonWriter extends Serializable {
    int NANOS_PER_MILLI = 1_000_000;

    /** The JSON of a value; of null, null. */
    JsonValue write(@Nullable Object value);

    /**
     * The writer of a type.
     *
     * @param column named in errors
     * @throws ValidationException if values of the type cannot be kept
     */
    static JsonWriter of(LogicalType type, String column) {
        JsonWriter writer = ofNotNull(type, column);
        return value -> value == null ? JsonValue.NULL : writer.write(value);
    }

    private static JsonWriter ofNotNull(LogicalType type, String column) {
        switch (type.getTypeRoot()) {
            case CHAR:
            case VARCHAR:
                return value -> new JsonString(value.toString());
            case BOOLEAN:
                return value -> new JsonBoolean((Boolean) value);
            case TINYINT:
            case SMALLINT:
            case INTEGER:
            case BIGINT:
                return value -> JsonInteger.of(((Number) value).longValue());
            case FLOAT:
            case DOUBLE:
                return value -> real((Number) value);
            case DECIMAL:
                return value ->
                        new JsonString(((DecimalData) value).toBigDecimal().toPlainString());
            case DATE:
                return value -> new JsonString(LocalDate.ofEpochDay((Integer) value).toString());
            case TIME_WITHOUT_TIME_ZONE:
                return value -> time((Integer) value);
            case TIMESTAMP_WITHOUT_TIME_ZONE:
                return value ->
                        new JsonString(
                                DateTimeFormatter.ISO_LOCAL_DATE_TIME.format(
                                        ((TimestampData) value).toLocalDateTime()));
            case TIMESTAMP_WITH_LOCAL_TIME_ZONE:
                return value ->
                        new JsonString(
                                DateTimeFormatter.ISO_OFFSET_DATE_TIME.format(
                                        ((TimestampData) value)
                                                .toInstant()
                                                .atOffset(ZoneOffset.UTC)));
            case BINARY:
            case VARBINARY:
                return value -> new JsonString(Base64.getEncoder().encodeToString((byte[]) value));
            case ARRAY:
                return array((ArrayType) type, column);
            case MAP:
                return map((MapType) type, column);
            case ROW:
                return row((RowType) type, column);
            default:
                throw new ValidationException(
                        "column "
                                + column
                                + ": a collection cannot keep the type "
                                + type.asSummaryString()
                                + "; cast it to STRING or another type that JSON has");
        }
    }

    private static JsonValue real(Number number) {
        // A float by its own digits: 0.1, not 0.10000000149011612.
        double value =
                number instanceof Float ? Double.parseDouble(number.toString()) : (Double) number;
        if (!Double.isFinite(value)) {
            throw new ValueException("JSON has no number " + number);
        }
        return new JsonDouble(value);
    }

    private static JsonValue time(int millisOfDay) {
        LocalTime time = LocalTime.ofNanoOfDay((long) millisOfDay * NANOS_PER_MILLI);
        return new JsonString(DateTimeFormatter.ISO_LOCAL_TIME.format(time));
    }

    private static JsonWriter array(ArrayType type, String column) {
        ArrayData.ElementGetter getter = ArrayData.createElementGetter(type.getElementType());
        JsonWriter element = of(type.getElementType(), column);
        return value -> {
            ArrayData array = (ArrayData) value;
            List<JsonValue> values = new ArrayList<>(array.size());
            for (int i = 0; i < array.size(); i++) {
                values.add(element.write(getter.getElementOrNull(array, i)));
            }
            return new JsonArray(values);
        };
    }

    private static JsonWriter map(MapType type, String column) {
        if (!type.getKeyType().is(LogicalTypeFamily.CHARACTER_STRING)) {
            throw new ValidationException(
                    "column "
                            + column
                            + ": a map's keys must be strings, not "
                            + type.getKeyType().asSummaryString()
                            + "; MAP<INT, FLOAT> is a sparse vector");
        }
        ArrayData.ElementGetter getter = ArrayData.createElementGetter(type.getValueType());
        JsonWriter element = of(type.getValueType(), column);
        return value -> {
            MapData map = (MapData) value;
            ArrayData keys = map.keyArray();
            ArrayData values = map.valueArray();
            Map<String, JsonValue> members = new LinkedHashMap<>();
            for (int i = 0; i < map.size(); i++) {
                if (keys.isNullAt(i)) {
                    throw new ValueException("a map's key is null");
                }
                members.put(
                        keys.getString(i).toString(),
                        element.write(getter.getElementOrNull(values, i)));
            }
            return new JsonObject(members);
        };
    }

    private static JsonWriter row(RowType type, String column) {
        int size = type.getFieldCount();
        String[] names = type.getFieldNames().toArray(String[]::new);
        JsonWriter[] writers = new JsonWriter[size];
        RowData.FieldGetter[] getters = new RowData.FieldGetter[size];
        for (int i = 0; i < size; i++) {
            writers[i] = of(type.getTypeAt(i), column + "." + names[i]);
            getters[i] = RowData.createFieldGetter(type.getTypeAt(i), i);
        }
        return value -> {
            Map<String, JsonValue> members = new LinkedHashMap<>();
            for (int i = 0; i < size; i++) {
                Object field = getters[i].getFieldOrNull((RowData) value);
                if (field != null) {
                    members.put(names[i], writers[i].write(field));
                }
            }
            return new JsonObject(members);
        };
    }
}
