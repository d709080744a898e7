package io.loam.lance;

import io.loam.codec.schema.CollectionSchema;
import io.loam.codec.schema.CollectionSchema.Distance;
import io.loam.codec.schema.VectorColumns;
import io.loam.store.spi.Projection;
import io.loam.store.spi.RowCursor;
import io.loam.store.spi.RowSnapshot;
import io.loam.store.spi.ScoredRow;
import io.loam.store.spi.StoredRow;

import javax.annotation.Nullable;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;

/**
 * Exact nearest neighbours by comparing with every row. Sums run in double precision over the
 * dimensions in order, so that a result can be checked bit by bit; ties go by canonical key.
 */
final class ExactNearest {
    private static final Projection VECTORS = new Projection(false, false, true);
    private static final Comparator<ScoredRow> ORDER =
            Comparator.comparingDouble(ScoredRow::distance).thenComparing(s -> s.row().key());

    /** Rows that are in memory at once. */
    private static final int TAKE_ROWS = 2_048;

    /** Where one of so many rows is allowed, all are read one after the other. */
    private static final int SCAN_SHARE = 2;

    private final String vector;
    private final Distance distance;
    private final float[] query;
    private final double queryNorm;
    private final int k;
    @Nullable private final long[] allowed;
    private final PriorityQueue<ScoredRow> worstFirst = new PriorityQueue<>(ORDER.reversed());

    ExactNearest(
            CollectionSchema schema,
            String vector,
            float[] query,
            int k,
            @Nullable long[] allowed) {
        int position =
                VectorColumns.densePosition(schema, vector)
                        .orElseThrow(
                                () ->
                                        new IllegalArgumentException(
                                                "the schema has no vector \"" + vector + "\""));
        CollectionSchema.Vector type = schema.vectors().get(position);
        if (type.dim() != query.length) {
            throw new IllegalArgumentException(
                    "vector \""
                            + vector
                            + "\" has "
                            + type.dim()
                            + " dimensions, the query has "
                            + query.length);
        }
        if (k < 1) {
            throw new IllegalArgumentException("k is at least 1, not " + k);
        }
        this.vector = vector;
        this.distance = type.distance();
        this.query = query;
        this.queryNorm = Math.sqrt(dot(query, query));
        this.k = k;
        this.allowed = allowed;
    }

    List<ScoredRow> search(RowSnapshot rows, Projection projection) throws IOException {
        if (allowed != null && allowed.length < rows.countRows() / SCAN_SHARE) {
            for (int from = 0; from < allowed.length; from += TAKE_ROWS) {
                int to = Math.min(allowed.length, from + TAKE_ROWS);
                rows.take(Arrays.copyOfRange(allowed, from, to), VECTORS).forEach(this::offer);
            }
        } else {
            scan(rows);
        }
        List<ScoredRow> best = new ArrayList<>(worstFirst);
        best.sort(ORDER);
        return projected(best, rows, projection);
    }

    private void scan(RowSnapshot rows) throws IOException {
        try (RowCursor cursor = rows.scan(VECTORS, 0, 1)) {
            for (StoredRow row = cursor.next(); row != null; row = cursor.next()) {
                if (allowed == null || Arrays.binarySearch(allowed, row.rowId()) >= 0) {
                    offer(row);
                }
            }
        }
    }

    private static List<ScoredRow> projected(
            List<ScoredRow> best, RowSnapshot rows, Projection projection) throws IOException {
        long[] ids = best.stream().mapToLong(s -> s.row().rowId()).toArray();
        Map<Long, StoredRow> read = new HashMap<>();
        rows.take(ids, projection).forEach(row -> read.put(row.rowId(), row));
        List<ScoredRow> result = new ArrayList<>(best.size());
        for (ScoredRow scored : best) {
            result.add(new ScoredRow(read.get(scored.row().rowId()), scored.distance()));
        }
        return result;
    }

    private void offer(StoredRow row) {
        float[] value = row.vectors().get(vector);
        if (value == null) {
            return;
        }
        float d = (float) distance(value);
        if (worstFirst.size() == k && d > worstFirst.peek().distance()) {
            return;
        }
        worstFirst.add(new ScoredRow(row, d));
        if (worstFirst.size() > k) {
            worstFirst.poll();
        }
    }

    private double distance(float[] value) {
        switch (distance) {
            case COSINE:
                double norms = queryNorm * Math.sqrt(dot(value, value));
                return norms == 0 ? 1 : 1 - dot(query, value) / norms;
            case DOT:
                return -dot(query, value);
            case EUCLID:
                return squared(value);
            case MANHATTAN:
                return absolute(value);
            default:
                throw new IllegalStateException("distance " + distance);
        }
    }

    private static double dot(float[] a, float[] b) {
        double sum = 0;
        for (int i = 0; i < a.length; i++) {
            sum += (double) a[i] * b[i];
        }
        return sum;
    }

    private double squared(float[] value) {
        double sum = 0;
        for (int i = 0; i < value.length; i++) {
            double difference = (double) query[i] - value[i];
            sum += difference * difference;
        }
        return sum;
    }

    private double absolute(float[] value) {
        double sum = 0;
        for (int i = 0; i < value.length; i++) {
            sum += Math.abs((double) query[i] - value[i]);
        }
        return sum;
    }

    @Override
    public String toString() {
        return "nearest " + k + " of " + vector + " to " + Arrays.toString(query);
    }
}
