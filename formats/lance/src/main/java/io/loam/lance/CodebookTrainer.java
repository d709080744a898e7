package io.loam.lance;

import java.util.SplittableRandom;
import java.util.stream.IntStream;

/**
 * Trains the codes of product quantization by k-means, one sub-vector after the other. Lance's own
 * trainer does so on the vectors themselves, but its index codes what is left of them after the
 * partition's centroid was taken off, which such codes are far from.
 */
final class CodebookTrainer {
    private static final int MOST_ITERATIONS = 50;
    private static final double LEAST_GAIN = 1e-3;
    private static final long SEED = 0x10a3;

    private final float[] points;
    private final int dimension;
    private final int size;
    private final int codes;

    /**
     * @param points one after the other, at least one
     * @param subVectors divides the dimension
     * @param codes of each sub-vector
     */
    CodebookTrainer(float[] points, int dimension, int subVectors, int codes) {
        this.points = points;
        this.dimension = dimension;
        this.size = dimension / subVectors;
        this.codes = codes;
    }

    /** Takes off each point the nearest centroid. */
    static void takeOff(float[] points, Centroids centroids, float[] flat, int dimension) {
        IntStream.range(0, points.length / dimension)
                .parallel()
                .forEach(
                        i -> {
                            int from = i * dimension;
                            float[] room = new float[centroids.count()];
                            int nearest = centroids.nearest(points, from, room);
                            for (int d = 0; d < dimension; d++) {
                                points[from + d] -= flat[nearest * dimension + d];
                            }
                        });
    }

    /** The codebook: by sub-vector, code and dimension. */
    float[] train() {
        float[] codebook = new float[codes * dimension];
        IntStream.range(0, dimension / size)
                .parallel()
                .forEach(
                        sub -> {
                            float[] trained = train(sub);
                            System.arraycopy(
                                    trained, 0, codebook, sub * trained.length, trained.length);
                        });
        return codebook;
    }

    private float[] train(int sub) {
        SplittableRandom random = new SplittableRandom(SEED + sub);
        int count = points.length / dimension;
        float[] centroids = new float[codes * size];
        for (int code = 0; code < codes; code++) {
            copy(random.nextInt(count), sub, centroids, code);
        }
        float[] distances = new float[codes];
        double before = Double.MAX_VALUE;
        for (int iteration = 0; iteration < MOST_ITERATIONS; iteration++) {
            Centroids current = new Centroids(centroids, size);
            double[] sums = new double[codes * size];
            int[] members = new int[codes];
            double error = 0;
            for (int i = 0; i < count; i++) {
                int from = i * dimension + sub * size;
                int nearest = current.nearest(points, from, distances);
                error += distances[nearest];
                members[nearest]++;
                for (int d = 0; d < size; d++) {
                    sums[nearest * size + d] += points[from + d];
                }
            }
            for (int code = 0; code < codes; code++) {
                if (members[code] == 0) {
                    copy(random.nextInt(count), sub, centroids, code);
                    continue;
                }
                for (int d = 0; d < size; d++) {
                    int at = code * size + d;
                    centroids[at] = (float) (sums[at] / members[code]);
                }
            }
            if (before - error < LEAST_GAIN * error) {
                break;
            }
            before = error;
        }
        return centroids;
    }

    private void copy(int point, int sub, float[] centroids, int code) {
        System.arraycopy(points, point * dimension + sub * size, centroids, code * size, size);
    }
}
