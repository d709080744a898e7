package io.loam.flink.connector.table;

import io.loam.codec.key.UuidText;
import io.loam.codec.schema.CollectionSchema;
import io.loam.codec.schema.CollectionSchema.Field;
import io.loam.codec.schema.CollectionSchema.FieldKind;
import io.loam.codec.schema.DateText;
import io.loam.flink.connector.source.RowFilter;
import io.loam.flink.connector.table.TableColumns.TableColumn;

import org.apache.flink.table.types.logical.LogicalType;
import org.apache.flink.table.types.logical.LogicalTypeFamily;
import org.apache.flink.table.types.logical.LogicalTypeRoot;

import javax.annotation.Nullable;

import java.math.BigDecimal;
import java.math.RoundingMode;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/**
 * A column and the field that indexes it: comparisons of the column's values as filters of the
 * field, which hold whenever the comparison does. The two differ: a field keeps milliseconds of a
 * time and doubles of a FLOAT, and several values of an array, which reads as one STRING. So bounds
 * are widened to what is sure, and what is not sure gives no filter.
 */
record IndexedColumn(Field field, LogicalType type) {
    private static final int MAX_TERM_BYTES = 65_530;

    /** The field of a column, if there is one whose values can be compared. */
    static Optional<IndexedColumn> of(TableColumn column, CollectionSchema schema) {
        return schema.fields().stream()
                .filter(field -> column.role() instanceof ColumnRole.Source)
                .filter(field -> field.sourcePath().equals(column.name()) && field.indexed())
                .filter(field -> fits(field.kind(), column.type()))
                .map(field -> new IndexedColumn(field, column.type()))
                .findFirst();
    }

    private static boolean fits(FieldKind kind, LogicalType type) {
        if (kind instanceof FieldKind.I64) {
            return type.is(LogicalTypeFamily.INTEGER_NUMERIC);
        } else if (kind instanceof FieldKind.F64) {
            return type.is(LogicalTypeFamily.APPROXIMATE_NUMERIC);
        } else if (kind instanceof FieldKind.Bool) {
            return type.is(LogicalTypeRoot.BOOLEAN);
        } else if (kind instanceof FieldKind.Date) {
            return type.isAnyOf(
                    LogicalTypeRoot.DATE,
                    LogicalTypeRoot.TIMESTAMP_WITHOUT_TIME_ZONE,
                    LogicalTypeRoot.TIMESTAMP_WITH_LOCAL_TIME_ZONE);
        }
        return (kind instanceof FieldKind.Keyword || kind instanceof FieldKind.Uuid)
                && type.is(LogicalTypeFamily.CHARACTER_STRING);
    }

    /** Holds for every row whose column is a value. */
    Optional<RowFilter> equal(Object value) {
        if (field.kind() instanceof FieldKind.Bool) {
            return value instanceof Boolean bool
                    ? Optional.of(new RowFilter.Equal(field.name(), bool))
                    : Optional.empty();
        }
        if (field.kind() instanceof FieldKind.Keyword || field.kind() instanceof FieldKind.Uuid) {
            return value instanceof String text && isTerm(text)
                    ? Optional.of(new RowFilter.Equal(field.name(), text))
                    : Optional.empty();
        }
        return between(value, value);
    }

    private boolean isTerm(String text) {
        if (field.kind() instanceof FieldKind.Uuid) {
            return UuidText.parse(text).isPresent();
        }
        // An array or object reads as its JSON, but its elements are what is indexed.
        boolean json = text.startsWith("[") || text.startsWith("{");
        return !json && text.getBytes(StandardCharsets.UTF_8).length <= MAX_TERM_BYTES;
    }

    /** Holds for every row whose column is between two values, both included; null is open. */
    Optional<RowFilter> between(@Nullable Object low, @Nullable Object high) {
        Number from = low == null ? null : bound(low, true);
        Number to = high == null ? null : bound(high, false);
        boolean open = (low != null && from == null) || (high != null && to == null);
        return open ? Optional.empty() : Optional.of(new RowFilter.Between(field.name(), from, to));
    }

    /** Null if there is none that is sure. */
    @Nullable
    private Number bound(Object value, boolean low) {
        if (field.kind() instanceof FieldKind.Date) {
            return date(value, low);
        }
        if (!(value instanceof Number)) {
            return null;
        }
        BigDecimal exact = new BigDecimal(value.toString());
        if (field.kind() instanceof FieldKind.F64) {
            return real(exact, low);
        }
        if (!(field.kind() instanceof FieldKind.I64)) {
            return null;
        }
        BigDecimal whole = exact.setScale(0, low ? RoundingMode.FLOOR : RoundingMode.CEILING);
        boolean isLong =
                whole.compareTo(BigDecimal.valueOf(Long.MIN_VALUE)) >= 0
                        && whole.compareTo(BigDecimal.valueOf(Long.MAX_VALUE)) <= 0;
        return isLong ? (Number) whole.longValue() : null;
    }

    /** One step beyond, as a column's value was rounded, and -0 is 0 in SQL, but not in a field. */
    @Nullable
    private Number real(BigDecimal exact, boolean low) {
        double bound;
        if (type.is(LogicalTypeRoot.FLOAT)) {
            float nearest = exact.floatValue();
            bound = low ? Math.nextDown(nearest) : Math.nextUp(nearest);
        } else {
            double nearest = exact.doubleValue();
            bound = low ? Math.nextDown(nearest) : Math.nextUp(nearest);
        }
        return Double.isInfinite(bound) ? null : (Number) bound;
    }

    @Nullable
    private Number date(Object value, boolean low) {
        Instant instant;
        if (value instanceof LocalDate day) {
            instant = day.atStartOfDay().toInstant(ZoneOffset.UTC);
            if (!low) {
                instant = instant.plusMillis(TimeUnit.DAYS.toMillis(1) - 1);
            }
        } else if (value instanceof LocalDateTime time) {
            instant = time.toInstant(ZoneOffset.UTC);
        } else if (value instanceof Instant moment) {
            instant = moment;
        } else {
            return null;
        }
        // Of a field, the milliseconds are cut off as well.
        long seconds = instant.getEpochSecond();
        boolean inRange = Math.abs(seconds) < TimeUnit.MILLISECONDS.toSeconds(DateText.MAX_MILLIS);
        return inRange ? (Number) instant.toEpochMilli() : null;
    }
}
