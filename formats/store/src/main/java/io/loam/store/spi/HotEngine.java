package io.loam.store.spi;

import io.loam.codec.hot.HotDescriptor;

import java.io.IOException;
import java.nio.file.Path;

/** Builds graphs of vectors as files and searches them. Found as a service. */
public interface HotEngine {
    /** Name and version of the files, which nobody else reads. */
    String name();

    /**
     * Starts a graph.
     *
     * @param dir empty; holds the finished graph's files, and nothing else
     */
    HotGraphBuilder newGraph(Path dir, HotDescriptor.Spec spec) throws IOException;

    /**
     * Opens the files of a graph, which were compared with their checksums. They may be deleted as
     * soon as it is open.
     *
     * @throws io.loam.codec.CorruptException if they are not the graph that is described
     */
    HotGraph open(Path dir, HotDescriptor descriptor) throws IOException;

    /**
     * The vector of the same direction and of length 1; zero stays. An engine that keeps cosines as
     * products of such vectors takes them from here, so that erasures know what to look for.
     */
    static float[] unit(float[] vector) {
        double squares = 0;
        for (float x : vector) {
            squares += (double) x * x;
        }
        if (squares == 0) {
            return vector;
        }
        double length = Math.sqrt(squares);
        float[] scaled = new float[vector.length];
        for (int i = 0; i < vector.length; i++) {
            scaled[i] = (float) (vector[i] / length);
        }
        return scaled;
    }
}
