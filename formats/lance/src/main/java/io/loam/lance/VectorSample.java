package io.loam.lance;

import org.apache.arrow.vector.Float4Vector;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.arrow.vector.complex.FixedSizeListVector;
import org.apache.arrow.vector.ipc.ArrowReader;
import org.lance.Dataset;
import org.lance.ipc.LanceScanner;
import org.lance.ipc.ScanOptions;

import java.io.IOException;
import java.util.Arrays;
import java.util.List;

/** Vectors of a column, evenly spread over the rows that have one. */
final class VectorSample {
    private static final int BATCH = 1024;

    private final Dataset dataset;
    private final String column;
    private final List<Integer> fragments;

    VectorSample(Dataset dataset, String column, List<Integer> fragments) {
        this.dataset = dataset;
        this.column = column;
        this.fragments = fragments;
    }

    /** Rows that have a vector. */
    long count() throws IOException {
        long[] rows = {0};
        scan(LanceSchemas.PARTITION, reader -> rows[0] += reader.getRowCount());
        return rows[0];
    }

    /**
     * Vectors one after the other.
     *
     * @param rows that have a vector
     */
    float[] read(long rows, int most, int dimension) throws IOException {
        int wanted = (int) Math.min(rows, most);
        float[] sample = new float[Math.multiplyExact(wanted, dimension)];
        long[] seen = {0};
        int[] taken = {0};
        scan(
                column,
                root -> {
                    FixedSizeListVector lists = (FixedSizeListVector) root.getVector(column);
                    Float4Vector numbers = (Float4Vector) lists.getDataVector();
                    for (int i = 0; i < root.getRowCount() && taken[0] < wanted; i++) {
                        // The n-th is taken once n / rows of all have been seen.
                        if (seen[0]++ * wanted >= taken[0] * rows) {
                            int to = taken[0]++ * dimension;
                            for (int d = 0; d < dimension; d++) {
                                sample[to + d] = numbers.get(i * dimension + d);
                            }
                        }
                    }
                });
        return taken[0] == wanted ? sample : Arrays.copyOf(sample, taken[0] * dimension);
    }

    @FunctionalInterface
    private interface Batches {
        void accept(VectorSchemaRoot root);
    }

    private void scan(String read, Batches batches) throws IOException {
        ScanOptions options =
                new ScanOptions.Builder()
                        .columns(List.of(read))
                        .filter(column + " IS NOT NULL")
                        .fragmentIds(fragments)
                        .batchSize(BATCH)
                        .build();
        try (LanceScanner scanner = dataset.newScan(options);
                ArrowReader reader = scanner.scanBatches()) {
            while (reader.loadNextBatch()) {
                batches.accept(reader.getVectorSchemaRoot());
            }
        } catch (IOException | RuntimeException e) {
            throw e;
        } catch (Exception e) { // native code throws checked ones undeclared
            throw new IOException("could not read " + column + ": " + e.getMessage(), e);
        }
    }
}
