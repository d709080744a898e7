package io.loam.hnsw;

import org.apache.lucene.codecs.KnnVectorsFormat;
import org.apache.lucene.codecs.KnnVectorsReader;
import org.apache.lucene.codecs.KnnVectorsWriter;
import org.apache.lucene.codecs.hnsw.FlatVectorsFormat;
import org.apache.lucene.codecs.lucene99.Lucene99FlatVectorsFormat;
import org.apache.lucene.codecs.lucene99.Lucene99HnswVectorsReader;
import org.apache.lucene.codecs.lucene99.Lucene99HnswVectorsWriter;
import org.apache.lucene.index.SegmentReadState;
import org.apache.lucene.index.SegmentWriteState;

import java.io.IOException;

/**
 * The files of Lucene's own format of graphs, for vectors of any dimension and all distances. A
 * service of Lucene's, which finds it by its name in the files.
 */
public final class GraphFormat extends KnnVectorsFormat {
    private static final String NAME = "LoamGraph1";
    private static final int MOST_DIMENSIONS = 65_536;
    private static final int DEFAULT_CONNECTIONS = 16;
    private static final int DEFAULT_BEAM = 100;

    private static final FlatVectorsFormat VECTORS =
            new Lucene99FlatVectorsFormat(new DistanceScorer());

    private final int connections;
    private final int beam;

    /** To read. */
    public GraphFormat() {
        this(DEFAULT_CONNECTIONS, DEFAULT_BEAM);
    }

    /**
     * @param connections of a point, twice as many on the lowest level
     * @param beam points in view while one is inserted
     */
    GraphFormat(int connections, int beam) {
        super(NAME);
        this.connections = connections;
        this.beam = beam;
    }

    @Override
    public KnnVectorsWriter fieldsWriter(SegmentWriteState state) throws IOException {
        return new Lucene99HnswVectorsWriter(
                state, connections, beam, VECTORS.fieldsWriter(state), 1, null);
    }

    @Override
    public KnnVectorsReader fieldsReader(SegmentReadState state) throws IOException {
        return new Lucene99HnswVectorsReader(state, VECTORS.fieldsReader(state));
    }

    @Override
    public int getMaxDimensions(String field) {
        return MOST_DIMENSIONS;
    }
}
