package io.loam.hnsw;

import io.loam.codec.hot.HotDescriptor;
import io.loam.store.spi.HotEngine;
import io.loam.store.spi.HotGraph;
import io.loam.store.spi.HotGraphBuilder;

import java.io.IOException;
import java.nio.file.Path;

/**
 * Graphs (HNSW) by Lucene, in Java alone: damaged files end in an exception. A point is a document
 * with a vector and its row id, nothing else; all of them are in one segment, whose files are
 * mapped into memory while it is open.
 */
public final class LuceneHotEngine implements HotEngine {
    /** Lucene's format of the files, and the version of how they are used here. */
    static final String NAME = "lucene99-hnsw-1";

    @Override
    public String name() {
        return NAME;
    }

    @Override
    public HotGraphBuilder newGraph(Path dir, HotDescriptor.Spec spec) throws IOException {
        return new LuceneGraphBuilder(dir, spec);
    }

    @Override
    public HotGraph open(Path dir, HotDescriptor descriptor) throws IOException {
        return LuceneGraph.open(dir, descriptor);
    }
}
