package io.loam.store.spi;

import javax.annotation.Nullable;

import java.io.IOException;
import java.util.Optional;
import java.util.function.LongPredicate;

/** An open graph of vectors. May be searched from many threads. */
public interface HotGraph extends AutoCloseable {
    /**
     * What was found, nearest first.
     *
     * @param distances as the graph reckons them: the order is that of the distances, the numbers
     *     may be others
     */
    record Found(long[] rowIds, double[] distances) {}

    /**
     * Rows that are probably the nearest ones, nearest first.
     *
     * @param most rows to find, and so many the search keeps in view
     * @param wanted which rows may be found; null for all
     * @param mostVisits after so many vectors were compared the search gives up
     * @return nothing if it gave up
     */
    Optional<Found> nearest(float[] query, int most, @Nullable LongPredicate wanted, int mostVisits)
            throws IOException;

    @Override
    void close() throws IOException;
}
