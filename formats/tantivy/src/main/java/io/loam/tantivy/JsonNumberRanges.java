package io.loam.tantivy;

import io.indextables.tantivy4java.query.Occur;
import io.indextables.tantivy4java.query.Query;

import javax.annotation.Nullable;

import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.List;

/**
 * Ranges of numbers at a Json path. The values of a path are one column, of integers or of doubles.
 * Ranges with whole bounds are right on both. A fractional bound is cut to an integer on a column
 * of integers, so the piece between it and the next integer is asked for by itself, where it must
 * not find the integers around it.
 */
final class JsonNumberRanges {
    private static final double LONG_LIMIT = 0x1p63;

    private final NativeQueries queries;
    private final String field;
    private final String path;

    JsonNumberRanges(NativeQueries queries, String field, String path) {
        this.queries = queries;
        this.field = field;
        this.path = path;
    }

    /**
     * @param low Long, Double or null, as is {@code high}; not both null
     */
    Query range(
            @Nullable Object low,
            boolean lowInclusive,
            @Nullable Object high,
            boolean highInclusive) {
        if (isWhole(low) && isWhole(high)) {
            return queries.jsonRange(
                    field, path, whole(low), lowInclusive, whole(high), highInclusive);
        }
        if (isHuge(low) || isHuge(high)) {
            return doubles(low, lowInclusive, high, highInclusive);
        }
        Object innerLow = isWhole(low) ? low : (Object) Math.ceil((Double) low);
        Object innerHigh = isWhole(high) ? high : (Object) Math.floor((Double) high);
        List<Query> parts = new ArrayList<>();
        if (low == null || high == null || number(innerLow) <= number(innerHigh)) {
            parts.add(
                    queries.jsonRange(
                            field,
                            path,
                            whole(innerLow),
                            lowInclusive || !isWhole(low),
                            whole(innerHigh),
                            highInclusive || !isWhole(high)));
            if (!isWhole(low)) {
                parts.add(piece((Double) low, lowInclusive, innerLow, false));
            }
            if (!isWhole(high)) {
                parts.add(piece(innerHigh, false, (Double) high, highInclusive));
            }
        } else {
            parts.add(piece(low, lowInclusive, high, highInclusive));
        }
        return queries.bool(
                parts.stream().map(part -> new Query.OccurQuery(Occur.SHOULD, part)).toList());
    }

    /** Numbers between two neighbouring integers. */
    private Query piece(Object low, boolean lowInclusive, Object high, boolean highInclusive) {
        long below = (long) Math.floor(number(low));
        long above = (long) Math.ceil(number(high));
        Query found = doubles(low, lowInclusive, high, highInclusive);
        return queries.mustNot(queries.mustNot(found, equal(below)), equal(above));
    }

    private Query equal(long integer) {
        return queries.jsonRange(field, path, integer, true, integer, true);
    }

    private Query doubles(
            @Nullable Object low,
            boolean lowInclusive,
            @Nullable Object high,
            boolean highInclusive) {
        return queries.jsonDoubles(field, path, text(low), lowInclusive, text(high), highInclusive);
    }

    private static String text(@Nullable Object bound) {
        if (bound == null) {
            return "*";
        }
        // With a fraction even when it is whole, else it would be read as an integer.
        String plain = new BigDecimal(number(bound)).toPlainString();
        return plain.contains(".") ? plain : plain + ".0";
    }

    private static boolean isWhole(@Nullable Object bound) {
        return !(bound instanceof Double number)
                || (number == Math.rint(number) && Math.abs(number) < LONG_LIMIT);
    }

    private static boolean isHuge(@Nullable Object bound) {
        return bound instanceof Double number && Math.abs(number) >= LONG_LIMIT;
    }

    @Nullable
    private static Long whole(@Nullable Object bound) {
        return bound instanceof Double number ? Long.valueOf(number.longValue()) : (Long) bound;
    }

    private static double number(Object bound) {
        return ((Number) bound).doubleValue();
    }
}
