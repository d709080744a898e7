package io.loam.lance;

import io.loam.codec.CorruptException;
import io.loam.codec.lance.IndexFile;
import io.loam.codec.lance.NewIndexSegment;
import io.loam.codec.lance.VectorModel;
import io.loam.codec.schema.CollectionSchema.Distance;
import io.loam.store.object.DataFileCheck;
import io.loam.store.object.ObjectInfo;
import io.loam.store.object.ObjectStore;
import io.loam.store.spi.BuiltIndex;
import io.loam.store.spi.IndexKind;
import io.loam.store.spi.IndexRequest;
import io.loam.store.spi.TooFewRowsException;

import org.lance.Dataset;
import org.lance.index.DistanceType;
import org.lance.index.Index;
import org.lance.index.IndexOptions;
import org.lance.index.IndexParams;
import org.lance.index.IndexType;
import org.lance.index.scalar.BTreeIndexParams;
import org.lance.index.vector.HnswBuildParams;
import org.lance.index.vector.IvfBuildParams;
import org.lance.index.vector.PQBuildParams;
import org.lance.index.vector.RQBuildParams;
import org.lance.index.vector.SQBuildParams;
import org.lance.index.vector.VectorIndexParams;
import org.lance.index.vector.VectorTrainer;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;

/** Builds segments of indexes over one version, which stay uncommitted. */
final class LanceIndexBuilder {
    private static final int ROWS_PER_PARTITION = 256;
    private static final int ROWS_PER_CODE = 64;
    private static final int TRAINING_ITERATIONS = 50;

    private final Dataset dataset;
    private final ObjectStore objects;
    private final String path;

    /**
     * @param path object path of the dataset root, without a slash at the end
     */
    LanceIndexBuilder(Dataset dataset, ObjectStore objects, String path) {
        this.dataset = dataset;
        this.objects = objects;
        this.path = path;
    }

    BuiltIndex build(IndexRequest request) throws IOException {
        return request.kind() == IndexKind.BTREE ? ofKeys(request) : ofVectors(request);
    }

    private BuiltIndex ofKeys(IndexRequest request) throws IOException {
        List<Integer> fragments = fragments(request);
        IndexParams params =
                IndexParams.builder()
                        .setScalarIndexParams(BTreeIndexParams.builder().build())
                        .build();
        Index index = create(request, IndexType.BTREE, params);
        dataset.mergeIndexMetadata(request.id().toString(), IndexType.BTREE, Optional.empty());
        long rows =
                dataset.getFragments().stream()
                        .filter(fragment -> fragments.contains(fragment.getId()))
                        .mapToLong(fragment -> fragment.countRows())
                        .sum();
        return new BuiltIndex(segment(request, index), rows, 0);
    }

    private BuiltIndex ofVectors(IndexRequest request) throws IOException {
        boolean there =
                dataset.getSchema().getFields().stream()
                        .anyMatch(field -> field.getName().equals(request.column()));
        VectorSample sample = new VectorSample(dataset, request.column(), fragments(request));
        long rows = there ? sample.count() : 0;
        if (rows == 0 || request.trained() == null && !request.vector().canTrain(rows)) {
            throw new TooFewRowsException(
                    "only "
                            + rows
                            + " rows of the fragments have a vector in "
                            + request.column()
                            + ", too few for index "
                            + request.name());
        }
        VectorModel model =
                request.trained() == null ? train(request, sample, rows) : model(request.trained());
        requireFits(model, request);
        Index index =
                create(
                        request,
                        type(request.kind()),
                        IndexParams.builder().setVectorIndexParams(params(request, model)).build());
        objects.put(modelPath(request.id()), model.encode());
        return new BuiltIndex(segment(request, index), rows, model.partitions());
    }

    /** Native code believes what it is given. */
    private void requireFits(VectorModel model, IndexRequest request) {
        int dimension = request.vector().dimension();
        int numbers = request.kind() == IndexKind.IVF_PQ ? dimension << request.vector().bits() : 0;
        if (model.dimension() != dimension || model.codebook().length != numbers) {
            throw new CorruptException(
                    modelPath(request.trained() == null ? request.id() : request.trained())
                            + ": is of "
                            + model.dimension()
                            + " dimensions and "
                            + model.codebook().length
                            + " numbers of codes, expected "
                            + dimension
                            + " and "
                            + numbers);
        }
    }

    private static List<Integer> fragments(IndexRequest request) {
        return request.fragments().stream().map(Long::intValue).toList();
    }

    private VectorModel model(UUID segment) throws IOException {
        String file = modelPath(segment);
        return VectorModel.decode(objects.get(file), file);
    }

    private String modelPath(UUID segment) {
        return path + "/_indices/" + segment + "/" + VectorModel.FILE;
    }

    private VectorModel train(IndexRequest request, VectorSample sample, long rows)
            throws IOException {
        IndexRequest.Vectors vectors = request.vector();
        int dimension = vectors.dimension();
        IvfBuildParams params =
                new IvfBuildParams.Builder()
                        .setNumPartitions(vectors.partitionsOf(rows))
                        .setSampleRate(ROWS_PER_PARTITION)
                        .setMaxIters(TRAINING_ITERATIONS)
                        .build();
        float[] centroids =
                VectorTrainer.trainIvfCentroids(
                        dataset, request.column(), params, distance(vectors.distance()));
        if (request.kind() != IndexKind.IVF_PQ) {
            return new VectorModel(dimension, centroids, new float[0]);
        }
        int codes = 1 << vectors.bits();
        float[] points = sample.read(rows, ROWS_PER_CODE * codes, dimension);
        if (vectors.distance() == Distance.COSINE) {
            normalize(points, dimension);
        }
        if (vectors.distance() != Distance.DOT) {
            CodebookTrainer.takeOff(
                    points, new Centroids(centroids, dimension), centroids, dimension);
        }
        float[] codebook =
                new CodebookTrainer(points, dimension, vectors.subVectorCount(), codes).train();
        return new VectorModel(dimension, centroids, codebook);
    }

    /** As Lance does with vectors that are compared by their angles. */
    private static void normalize(float[] points, int dimension) {
        for (int from = 0; from < points.length; from += dimension) {
            double squares = 0;
            for (int d = 0; d < dimension; d++) {
                squares += (double) points[from + d] * points[from + d];
            }
            float norm = squares == 0 ? 1 : (float) Math.sqrt(squares);
            for (int d = 0; d < dimension; d++) {
                points[from + d] /= norm;
            }
        }
    }

    private static VectorIndexParams params(IndexRequest request, VectorModel model) {
        IndexRequest.Vectors vectors = request.vector();
        DistanceType distance = distance(vectors.distance());
        IvfBuildParams partitions =
                new IvfBuildParams.Builder()
                        .setNumPartitions(model.partitions())
                        .setCentroids(model.centroids())
                        .build();
        return switch (request.kind()) {
            case IVF_PQ ->
                    VectorIndexParams.withIvfPqParams(
                            distance,
                            partitions,
                            new PQBuildParams.Builder()
                                    .setNumSubVectors(vectors.subVectorCount())
                                    .setNumBits(vectors.bits())
                                    .setCodebook(model.codebook())
                                    .build());
            case IVF_RQ ->
                    VectorIndexParams.withIvfRqParams(
                            distance,
                            partitions,
                            new RQBuildParams.Builder().setNumBits((byte) vectors.bits()).build());
            case IVF_HNSW_SQ ->
                    VectorIndexParams.withIvfHnswSqParams(
                            distance,
                            partitions,
                            new HnswBuildParams.Builder().build(),
                            new SQBuildParams.Builder().build());
            case BTREE -> throw new IllegalArgumentException("no index of vectors");
        };
    }

    private Index create(IndexRequest request, IndexType type, IndexParams params)
            throws IOException {
        try {
            return dataset.createIndex(
                    IndexOptions.builder(List.of(request.column()), type, params)
                            .withIndexName(request.name())
                            .withIndexUUID(request.id().toString())
                            .withFragmentIds(fragments(request))
                            .replace(true)
                            .build());
        } catch (Exception e) { // native code throws checked ones undeclared
            throw new IOException(
                    "could not build index " + request.name() + " below " + path + ": " + e, e);
        }
    }

    /** What was written, read back. */
    private List<IndexFile> files(UUID segment) throws IOException {
        String folder = path + "/_indices/" + segment + "/";
        List<IndexFile> files = new ArrayList<>();
        for (ObjectInfo object : objects.list(folder)) {
            files.add(
                    new IndexFile(
                            object.path().substring(folder.length()),
                            object.size(),
                            DataFileCheck.crc32c(objects, object.path(), object.size())));
        }
        return files;
    }

    private NewIndexSegment segment(IndexRequest request, Index index) throws IOException {
        return new NewIndexSegment(
                index.uuid(),
                request.name(),
                index.fields(),
                index.datasetVersion(),
                index.indexVersion(),
                index.indexDetails().orElse(new byte[0]),
                files(request.id()),
                index.createdAt().map(at -> at.toEpochMilli()).orElse(0L));
    }

    static DistanceType distance(Distance distance) {
        return switch (distance) {
            case COSINE -> DistanceType.Cosine;
            case DOT -> DistanceType.Dot;
            case EUCLID -> DistanceType.L2;
            case MANHATTAN -> throw new IllegalArgumentException("Lance has no such distance");
        };
    }

    private static IndexType type(IndexKind kind) {
        return switch (kind) {
            case IVF_PQ -> IndexType.IVF_PQ;
            case IVF_RQ -> IndexType.IVF_RQ;
            case IVF_HNSW_SQ -> IndexType.IVF_HNSW_SQ;
            case BTREE -> IndexType.BTREE;
        };
    }
}
