package io.loam.lance;

import java.util.Arrays;

/**
 * Points to find the nearest of. They are kept dimension by dimension, so that distances to all of
 * them are summed side by side.
 */
final class Centroids {
    private final int count;
    private final int dimension;
    private final float[] byDimension;

    /**
     * @param points one after the other
     */
    Centroids(float[] points, int dimension) {
        this.dimension = dimension;
        this.count = points.length / dimension;
        this.byDimension = new float[points.length];
        for (int c = 0; c < count; c++) {
            for (int d = 0; d < dimension; d++) {
                byDimension[d * count + c] = points[c * dimension + d];
            }
        }
    }

    int count() {
        return count;
    }

    /**
     * The nearest by Euclid's distance to the point that begins at {@code from}.
     *
     * @param distances room for one number for each centroid; squared distances afterwards
     */
    int nearest(float[] points, int from, float[] distances) {
        Arrays.fill(distances, 0, count, 0);
        for (int d = 0; d < dimension; d++) {
            float x = points[from + d];
            int row = d * count;
            for (int c = 0; c < count; c++) {
                float difference = x - byDimension[row + c];
                distances[c] += difference * difference;
            }
        }
        int best = 0;
        for (int c = 1; c < count; c++) {
            if (distances[c] < distances[best]) {
                best = c;
            }
        }
        return best;
    }
}
