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
}
