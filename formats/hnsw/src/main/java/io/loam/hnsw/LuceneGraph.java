package io.loam.hnsw;

import io.loam.codec.CorruptException;
import io.loam.codec.hot.HotDescriptor;
import io.loam.store.spi.HotGraph;

import org.apache.lucene.index.CorruptIndexException;
import org.apache.lucene.index.DirectoryReader;
import org.apache.lucene.index.FloatVectorValues;
import org.apache.lucene.index.IndexFormatTooNewException;
import org.apache.lucene.index.IndexFormatTooOldException;
import org.apache.lucene.index.LeafReader;
import org.apache.lucene.index.NumericDocValues;
import org.apache.lucene.search.ScoreDoc;
import org.apache.lucene.search.TopKnnCollector;
import org.apache.lucene.store.FSDirectory;
import org.apache.lucene.util.Bits;

import javax.annotation.Nullable;

import java.io.EOFException;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Optional;
import java.util.function.LongPredicate;

/** An open graph. Vectors and edges are mapped, row ids in memory. */
final class LuceneGraph implements HotGraph {
    private final FSDirectory directory;
    private final DirectoryReader reader;
    @Nullable private final LeafReader segment;
    private final long[] rowIds;

    private LuceneGraph(
            FSDirectory directory,
            DirectoryReader reader,
            @Nullable LeafReader segment,
            long[] rowIds) {
        this.directory = directory;
        this.reader = reader;
        this.segment = segment;
        this.rowIds = rowIds;
    }

    static LuceneGraph open(Path dir, HotDescriptor descriptor) throws IOException {
        FSDirectory directory = GraphFiles.directory(dir);
        DirectoryReader reader = null;
        try {
            reader = DirectoryReader.open(directory);
            return open(directory, reader, descriptor);
        } catch (CorruptIndexException
                | IndexFormatTooOldException
                | IndexFormatTooNewException
                | EOFException
                | RuntimeException e) {
            close(reader, directory);
            throw e instanceof CorruptException corrupt
                    ? corrupt
                    : new CorruptException("is no graph: " + e.getMessage(), e);
        } catch (IOException e) {
            close(reader, directory);
            throw e;
        }
    }

    private static LuceneGraph open(
            FSDirectory directory, DirectoryReader reader, HotDescriptor descriptor)
            throws IOException {
        if (reader.leaves().size() > 1 || reader.numDocs() != descriptor.points()) {
            throw new CorruptException(
                    "is a graph of "
                            + reader.leaves().size()
                            + " segments and "
                            + reader.numDocs()
                            + " points, not of one and "
                            + descriptor.points());
        }
        if (reader.leaves().isEmpty()) {
            return new LuceneGraph(directory, reader, null, new long[0]);
        }
        LeafReader segment = reader.leaves().get(0).reader();
        FloatVectorValues vectors = segment.getFloatVectorValues(GraphFiles.VECTOR);
        NumericDocValues rows = segment.getNumericDocValues(GraphFiles.ROW);
        if (vectors == null || rows == null || vectors.size() != segment.maxDoc()) {
            throw new CorruptException("is a graph without vectors or rows");
        }
        if (vectors.dimension() != descriptor.spec().dim()) {
            throw new CorruptException(
                    "is a graph of "
                            + vectors.dimension()
                            + " dimensions, not "
                            + descriptor.spec().dim());
        }
        long[] rowIds = new long[segment.maxDoc()];
        for (int point = 0; point < rowIds.length; point++) {
            if (rows.nextDoc() != point) {
                throw new CorruptException("has a point without a row");
            }
            rowIds[point] = rows.longValue();
        }
        return new LuceneGraph(directory, reader, segment, rowIds);
    }

    private static void close(@Nullable DirectoryReader reader, FSDirectory directory)
            throws IOException {
        try (FSDirectory closing = directory) {
            if (reader != null) {
                reader.close();
            }
        }
    }

    @Override
    public Optional<Found> nearest(
            float[] query, int most, @Nullable LongPredicate wanted, int mostVisits)
            throws IOException {
        if (segment == null) {
            return Optional.of(new Found(new long[0], new double[0]));
        }
        TopKnnCollector found = new TopKnnCollector(Math.min(most, rowIds.length), mostVisits);
        segment.searchNearestVectors(GraphFiles.VECTOR, query, found, bits(wanted));
        if (found.earlyTerminated()) {
            return Optional.empty();
        }
        ScoreDoc[] best = found.topDocs().scoreDocs;
        long[] ids = new long[best.length];
        double[] distances = new double[best.length];
        for (int i = 0; i < ids.length; i++) {
            ids[i] = rowIds[best[i].doc];
            distances[i] = -best[i].score;
        }
        return Optional.of(new Found(ids, distances));
    }

    @Nullable
    private Bits bits(@Nullable LongPredicate wanted) {
        if (wanted == null) {
            return null;
        }
        return new Bits() {
            @Override
            public boolean get(int point) {
                return wanted.test(rowIds[point]);
            }

            @Override
            public int length() {
                return rowIds.length;
            }
        };
    }

    @Override
    public void close() throws IOException {
        close(reader, directory);
    }
}
