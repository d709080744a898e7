package io.loam.store.hot;

import io.loam.codec.schema.CollectionSchema.Distance;
import io.loam.store.spi.HotGraph;
import io.loam.store.spi.Projection;
import io.loam.store.spi.RowSnapshot;
import io.loam.store.spi.StoredRow;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.PriorityQueue;
import java.util.function.LongPredicate;

/** The rows of a version that are newer than a graph, with their vectors in memory. */
final class RowsBeside {
    private static final Projection VECTORS = new Projection(false, false, true);
    private static final int ROWS_PER_READ = 1_000;

    private final Distance distance;
    private final List<Long> ids = new ArrayList<>();
    private final List<float[]> vectors = new ArrayList<>();

    private RowsBeside(Distance distance) {
        this.distance = distance;
    }

    /**
     * @param rowIds live ones, ascending
     */
    static RowsBeside read(RowSnapshot rows, String vector, Distance distance, long[] rowIds)
            throws IOException {
        RowsBeside beside = new RowsBeside(distance);
        for (int from = 0; from < rowIds.length; from += ROWS_PER_READ) {
            long[] some =
                    Arrays.copyOfRange(rowIds, from, Math.min(from + ROWS_PER_READ, rowIds.length));
            for (StoredRow row : rows.takeAll(some, VECTORS)) {
                float[] value = row.vectors().get(vector);
                if (value != null) {
                    beside.ids.add(row.rowId());
                    beside.vectors.add(value);
                }
            }
        }
        return beside;
    }

    private record Ranked(long id, double distance) {}

    /** The nearest of the wanted ones. */
    HotGraph.Found nearest(float[] query, int most, LongPredicate wanted) {
        PriorityQueue<Ranked> worstFirst =
                new PriorityQueue<>(Comparator.comparingDouble(Ranked::distance).reversed());
        for (int i = 0; i < vectors.size(); i++) {
            long id = ids.get(i);
            if (wanted.test(id)) {
                worstFirst.add(new Ranked(id, between(query, vectors.get(i))));
                if (worstFirst.size() > most) {
                    worstFirst.poll();
                }
            }
        }
        List<Ranked> best = new ArrayList<>(worstFirst);
        best.sort(Comparator.comparingDouble(Ranked::distance));
        return new HotGraph.Found(
                best.stream().mapToLong(Ranked::id).toArray(),
                best.stream().mapToDouble(Ranked::distance).toArray());
    }

    private double between(float[] query, float[] value) {
        double dot = 0;
        double norm = 0;
        double squares = 0;
        double differences = 0;
        for (int i = 0; i < query.length; i++) {
            double difference = (double) query[i] - value[i];
            dot += (double) query[i] * value[i];
            norm += (double) value[i] * value[i];
            squares += difference * difference;
            differences += Math.abs(difference);
        }
        return switch (distance) {
            case COSINE -> norm == 0 ? 0 : -dot / Math.sqrt(norm);
            case DOT -> -dot;
            case EUCLID -> squares;
            case MANHATTAN -> differences;
        };
    }
}
