package io.loam.flink.connector.table;

import io.loam.codec.json.JsonValue;
import io.loam.codec.json.JsonValue.JsonInteger;
import io.loam.codec.json.JsonValue.JsonString;
import io.loam.codec.schema.DateText;

import org.apache.flink.table.data.TimestampData;

import java.time.DateTimeException;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.OptionalLong;
import java.util.concurrent.TimeUnit;

/**
 * Dates and times as documents have them: ISO 8601 down to the nanosecond, and whatever a Date
 * field takes, which is milliseconds since the epoch and the formats of {@link DateText}.
 */
final class JsonTimes {
    private JsonTimes() {}

    /** Days since the epoch. */
    static int date(JsonValue value) {
        return (int) Math.floorDiv(timestamp(value).getMillisecond(), TimeUnit.DAYS.toMillis(1));
    }

    /** Milliseconds of the day. */
    static int time(JsonValue value) {
        if (value instanceof JsonString text) {
            try {
                return (int)
                        TimeUnit.NANOSECONDS.toMillis(LocalTime.parse(text.value()).toNanoOfDay());
            } catch (DateTimeException e) {
                throw JsonReader.not(value, "a TIME", e);
            }
        }
        throw JsonReader.not(value, "a TIME");
    }

    /** A moment; without a zone it is taken as UTC, which is how a TIMESTAMP is kept. */
    static TimestampData timestamp(JsonValue value) {
        if (value instanceof JsonInteger millis && !millis.unsigned()) {
            return TimestampData.fromEpochMillis(millis.value());
        }
        if (value instanceof JsonString text) {
            return timestamp(text);
        }
        throw JsonReader.not(value, "a date or timestamp");
    }

    private static TimestampData timestamp(JsonString text) {
        OptionalLong millis = DateText.millis(text.value());
        try {
            return TimestampData.fromLocalDateTime(local(text.value()));
        } catch (DateTimeException e) {
            if (millis.isPresent()) {
                return TimestampData.fromEpochMillis(millis.getAsLong());
            }
            throw JsonReader.not(text, "a date or timestamp", e);
        }
    }

    private static LocalDateTime local(String text) {
        if (text.indexOf('T') < 0) {
            return LocalDate.parse(text).atStartOfDay();
        }
        return text.endsWith("Z")
                ? OffsetDateTime.parse(text, DateTimeFormatter.ISO_OFFSET_DATE_TIME)
                        .withOffsetSameInstant(ZoneOffset.UTC)
                        .toLocalDateTime()
                : LocalDateTime.parse(text, DateTimeFormatter.ISO_LOCAL_DATE_TIME);
    }
}
