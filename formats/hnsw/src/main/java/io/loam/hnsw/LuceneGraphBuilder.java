package io.loam.hnsw;

import io.loam.codec.hot.HotDescriptor;
import io.loam.codec.schema.CollectionSchema.Distance;
import io.loam.store.spi.HotEngine;
import io.loam.store.spi.HotGraphBuilder;

import org.apache.lucene.codecs.Codec;
import org.apache.lucene.codecs.KnnVectorsFormat;
import org.apache.lucene.codecs.lucene912.Lucene912Codec;
import org.apache.lucene.document.Document;
import org.apache.lucene.document.FieldType;
import org.apache.lucene.document.KnnFloatVectorField;
import org.apache.lucene.document.NumericDocValuesField;
import org.apache.lucene.index.IndexWriter;
import org.apache.lucene.index.IndexWriterConfig;
import org.apache.lucene.index.MergePolicy;
import org.apache.lucene.index.NoMergePolicy;
import org.apache.lucene.index.SerialMergeScheduler;
import org.apache.lucene.index.TieredMergePolicy;
import org.apache.lucene.store.FSDirectory;

import java.io.IOException;
import java.nio.file.Path;

/** Writes points in parts that fit into memory, and makes one segment of them. */
final class LuceneGraphBuilder implements HotGraphBuilder {
    private static final double MEMORY_MB = 256;
    private static final int LEAST_CONNECTIONS = 2;
    private static final int MOST_CONNECTIONS = 512;
    private static final int MOST_BEAM = 3_200;

    private final FSDirectory directory;
    private final Codec codec;
    private final boolean unit;
    private final Document point = new Document();
    private final KnnFloatVectorField vector;
    private final NumericDocValuesField row = new NumericDocValuesField(GraphFiles.ROW, 0);
    private final IndexWriter writer;

    LuceneGraphBuilder(Path dir, HotDescriptor.Spec spec) throws IOException {
        this.directory = GraphFiles.directory(dir);
        this.codec =
                codec(
                        new GraphFormat(
                                clamp(spec.hnsw().m(), LEAST_CONNECTIONS, MOST_CONNECTIONS),
                                clamp(spec.hnsw().efConstruct(), 1, MOST_BEAM)));
        this.unit = spec.distance() == Distance.COSINE;
        FieldType type =
                KnnFloatVectorField.createFieldType(
                        spec.dim(), DistanceScorer.label(spec.distance()));
        this.vector = new KnnFloatVectorField(GraphFiles.VECTOR, new float[spec.dim()], type);
        point.add(vector);
        point.add(row);
        this.writer = writer(NoMergePolicy.INSTANCE);
    }

    private static int clamp(long value, int least, int most) {
        return (int) Math.max(least, Math.min(most, value));
    }

    private static Codec codec(KnnVectorsFormat graphs) {
        return new Lucene912Codec() {
            @Override
            public KnnVectorsFormat getKnnVectorsFormatForField(String field) {
                return graphs;
            }
        };
    }

    private IndexWriter writer(MergePolicy merges) throws IOException {
        return new IndexWriter(
                directory,
                new IndexWriterConfig()
                        .setCodec(codec)
                        .setUseCompoundFile(false)
                        .setMergePolicy(merges)
                        .setMergeScheduler(new SerialMergeScheduler())
                        .setRAMBufferSizeMB(MEMORY_MB));
    }

    @Override
    public void add(long rowId, float[] value) throws IOException {
        row.setLongValue(rowId);
        vector.setVectorValue(unit ? HotEngine.unit(value) : value);
        writer.addDocument(point);
    }

    @Override
    public void finish() throws IOException {
        writer.commit();
        writer.close();
        TieredMergePolicy whole = new TieredMergePolicy();
        whole.setNoCFSRatio(0);
        try (IndexWriter merging = writer(whole)) {
            merging.forceMerge(1);
            merging.commit();
        }
    }

    @Override
    public void close() throws IOException {
        try (FSDirectory closing = directory) {
            if (writer.isOpen()) {
                writer.rollback();
            }
        }
    }
}
