package io.loam.flink.connector.table;

import io.loam.codec.json.Json;
import io.loam.codec.json.JsonValue;

import org.apache.flink.table.api.DataTypes;
import org.apache.flink.table.api.ValidationException;
import org.apache.flink.table.data.DecimalData;
import org.apache.flink.table.data.StringData;
import org.apache.flink.table.data.TimestampData;
import org.apache.flink.table.types.DataType;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.util.stream.Stream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** Values as JSON, and JSON as values. */
class JsonValuesTest {
    private static JsonValue json(String text) {
        return Json.parse(text.getBytes(StandardCharsets.UTF_8));
    }

    private static Object read(DataType type, String text) {
        return JsonReader.of(type.getLogicalType()).read(json(text));
    }

    private static String write(DataType type, Object value) {
        return Json.text(JsonWriter.of(type.getLogicalType(), "c").write(value));
    }

    static Stream<Arguments> values() {
        return Stream.of(
                Arguments.of(DataTypes.STRING(), StringData.fromString("a\"b"), "\"a\\\"b\""),
                Arguments.of(DataTypes.BOOLEAN(), true, "true"),
                Arguments.of(DataTypes.TINYINT(), (byte) -128, "-128"),
                Arguments.of(DataTypes.BIGINT(), Long.MIN_VALUE, "-9223372036854775808"),
                Arguments.of(DataTypes.FLOAT(), 0.1f, "0.1"),
                Arguments.of(DataTypes.DOUBLE(), -0.0, "-0.0"),
                Arguments.of(
                        DataTypes.DECIMAL(5, 2),
                        DecimalData.fromBigDecimal(new BigDecimal("100.50"), 5, 2),
                        "\"100.50\""),
                Arguments.of(
                        DataTypes.DATE(),
                        (int) LocalDate.of(1, 1, 1).toEpochDay(),
                        "\"0001-01-01\""),
                Arguments.of(DataTypes.TIME(3), 1, "\"00:00:00.001\""),
                Arguments.of(
                        DataTypes.TIMESTAMP(9),
                        TimestampData.fromLocalDateTime(
                                LocalDateTime.of(1969, 12, 31, 23, 59, 59, 999_999_999)),
                        "\"1969-12-31T23:59:59.999999999\""),
                Arguments.of(
                        DataTypes.TIMESTAMP_LTZ(3),
                        TimestampData.fromInstant(Instant.ofEpochMilli(1)),
                        "\"1970-01-01T00:00:00.001Z\""));
    }

    @ParameterizedTest
    @MethodSource("values")
    void aValueComesBack(DataType type, Object value, String text) {
        assertThat(write(type, value)).isEqualTo(text);
        assertThat(read(type, text)).isEqualTo(value);
    }

    static Stream<Arguments> others() {
        return Stream.of(
                Arguments.of(
                        DataTypes.STRING(), "{\"a\":[1]}", StringData.fromString("{\"a\":[1]}")),
                Arguments.of(DataTypes.STRING(), "1.0", StringData.fromString("1.0")),
                Arguments.of(DataTypes.INT(), "\"7\"", 7),
                Arguments.of(DataTypes.INT(), "7.0", 7),
                Arguments.of(DataTypes.DOUBLE(), "7", 7.0),
                Arguments.of(DataTypes.BOOLEAN(), "\"false\"", false),
                Arguments.of(DataTypes.DATE(), "\"2024-02-29T23:59:59+00:00\"", 19_782),
                Arguments.of(DataTypes.DATE(), "\"2024/02/29\"", 19_782),
                Arguments.of(DataTypes.DATE(), "-1", -1),
                Arguments.of(
                        DataTypes.TIMESTAMP(3),
                        "\"1970-01-01T01:00:00+0100\"",
                        TimestampData.fromEpochMillis(0)),
                Arguments.of(
                        DataTypes.DECIMAL(3, 1),
                        "1.25",
                        DecimalData.fromBigDecimal(new BigDecimal("1.3"), 3, 1)));
    }

    @ParameterizedTest
    @MethodSource("others")
    void whatOtherWritersMeanIsRead(DataType type, String text, Object value) {
        assertThat(read(type, text)).isEqualTo(value);
    }

    static Stream<Arguments> misfits() {
        return Stream.of(
                Arguments.of(DataTypes.TINYINT(), "128"),
                Arguments.of(DataTypes.INT(), "1.5"),
                Arguments.of(DataTypes.INT(), "\"x\""),
                Arguments.of(DataTypes.BIGINT(), "18446744073709551615"),
                Arguments.of(DataTypes.BIGINT(), "1e40"),
                Arguments.of(DataTypes.BOOLEAN(), "1"),
                Arguments.of(DataTypes.DOUBLE(), "[1]"),
                Arguments.of(DataTypes.DOUBLE(), "\"1e400\""),
                Arguments.of(DataTypes.FLOAT(), "1e300"),
                Arguments.of(DataTypes.DECIMAL(3, 1), "\"1000\""),
                Arguments.of(DataTypes.DATE(), "\"yesterday\""),
                Arguments.of(DataTypes.DATE(), "true"),
                Arguments.of(DataTypes.TIME(), "\"25:00\""),
                Arguments.of(DataTypes.TIMESTAMP(), "18446744073709551615"),
                Arguments.of(DataTypes.BYTES(), "\"%\""),
                Arguments.of(DataTypes.MAP(DataTypes.STRING(), DataTypes.INT()), "[]"),
                Arguments.of(DataTypes.ROW(DataTypes.FIELD("a", DataTypes.INT())), "1"));
    }

    @ParameterizedTest
    @MethodSource("misfits")
    void whatIsNotOfTheTypeIsRefusedWithItsText(DataType type, String text) {
        assertThatThrownBy(() -> read(type, text))
                .isInstanceOf(ValueException.class)
                .hasMessageStartingWith(Json.text(json(text)) + " is not ");
    }

    @Test
    void nullIsNullOfEveryType() {
        assertThat(read(DataTypes.INT(), "null")).isNull();
        assertThat(write(DataTypes.INT(), null)).isEqualTo("null");
    }

    @Test
    void numbersThatAreNotFiniteAreRefused() {
        for (Object value : new Object[] {Float.NaN, Double.POSITIVE_INFINITY}) {
            DataType type = value instanceof Float ? DataTypes.FLOAT() : DataTypes.DOUBLE();
            assertThatThrownBy(() -> write(type, value))
                    .isInstanceOf(ValueException.class)
                    .hasMessage("JSON has no number " + value);
        }
    }

    @Test
    void typesThatJsonHasNoPlaceForAreRefusedByName() {
        assertThatThrownBy(
                        () ->
                                JsonWriter.of(
                                        DataTypes.ARRAY(DataTypes.INTERVAL(DataTypes.DAY()))
                                                .getLogicalType(),
                                        "c"))
                .isInstanceOf(ValidationException.class)
                .hasMessageContaining("column c")
                .hasMessageContaining("INTERVAL DAY");
        assertThatThrownBy(
                        () ->
                                JsonWriter.of(
                                        DataTypes.MAP(DataTypes.INT(), DataTypes.STRING())
                                                .getLogicalType(),
                                        "c"))
                .hasMessageContaining("a map's keys must be strings, not INT");
    }
}
