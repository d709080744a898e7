package io.loam.hnsw;

import io.loam.codec.CorruptException;
import io.loam.codec.hot.HotDescriptor;
import io.loam.codec.schema.CollectionSchema.Distance;
import io.loam.codec.schema.CollectionSchema.Hnsw;
import io.loam.codec.testing.Campaign;
import io.loam.store.spi.HotEngine;
import io.loam.store.spi.HotGraph;
import io.loam.store.spi.HotGraphBuilder;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Random;
import java.util.ServiceLoader;
import java.util.Set;
import java.util.function.LongPredicate;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import java.util.stream.Stream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

class LuceneHotEngineTest {
    private static final int POINTS = 1_500;
    private static final int DIM = 24;
    private static final int K = 10;
    private static final int QUERIES = 30;

    /** Row ids as large as they get. */
    private static final long FIRST_ROW = Long.MIN_VALUE;

    @TempDir Path dir;

    private final HotEngine engine = new LuceneHotEngine();
    private final Random random = new Random(Campaign.seed());
    private final List<float[]> vectors = new ArrayList<>();

    @Test
    void isFoundAsAService() {
        assertThat(ServiceLoader.load(HotEngine.class))
                .singleElement()
                .satisfies(found -> assertThat(found.name()).isEqualTo("lucene99-hnsw-1"));
    }

    @ParameterizedTest
    @EnumSource(Distance.class)
    void findsTheNearestByEveryDistance(Distance distance) throws IOException {
        for (float scale : new float[] {1e-6f, 1, 1e6f}) {
            fill(scale);
            try (HotGraph graph = built(distance)) {
                assertThat(recall(graph, distance, scale, null))
                        .as(distance + " at " + scale)
                        .isGreaterThanOrEqualTo(0.95);
                assertThat(recall(graph, distance, scale, row -> row % 3 == 0))
                        .as("a third by " + distance + " at " + scale)
                        .isGreaterThanOrEqualTo(0.95);
            }
        }
    }

    @Test
    void filesMayBeDeletedOnceItIsOpen() throws IOException {
        fill(1);
        try (HotGraph graph = built(Distance.EUCLID)) {
            assertThat(dir).isEmptyDirectory();
            assertThat(recall(graph, Distance.EUCLID, 1, null)).isGreaterThanOrEqualTo(0.95);
        }
    }

    @Test
    void givesUpAfterSoManyVisits() throws IOException {
        fill(1);
        try (HotGraph graph = built(Distance.EUCLID)) {
            assertThat(graph.nearest(query(1), K, row -> false, 100)).isEmpty();
            assertThat(graph.nearest(query(1), K, row -> false, Integer.MAX_VALUE))
                    .hasValueSatisfying(found -> assertThat(found.rowIds()).isEmpty());
        }
    }

    @Test
    void aGraphMayBeEmptyOrOfOnePoint() throws IOException {
        try (HotGraph empty = built(Distance.COSINE)) {
            assertThat(empty.nearest(query(1), K, null, 10).orElseThrow().rowIds()).isEmpty();
        }
        vectors.add(new float[DIM]);
        try (HotGraph one = built(Distance.COSINE)) {
            assertThat(one.nearest(query(1), K, null, 10).orElseThrow().rowIds())
                    .containsExactly(FIRST_ROW);
        }
    }

    @Test
    void damagedFilesAreRefusedOrSearchedAsTheyAre() throws IOException {
        fill(1);
        HotDescriptor.Spec spec = spec(Distance.EUCLID);
        build(spec);
        List<Path> files;
        try (Stream<Path> list = Files.list(dir)) {
            files = list.sorted().toList();
        }
        assertThat(files).hasSizeGreaterThan(5);
        int refused = 0;
        for (Path file : files) {
            byte[] whole = Files.readAllBytes(file);
            for (int i = 0; i < 40; i++) {
                byte[] damaged =
                        i % 4 == 0
                                ? Arrays.copyOf(whole, random.nextInt(whole.length))
                                : whole.clone();
                if (damaged.length == whole.length) {
                    damaged[random.nextInt(whole.length)] ^= (byte) (1 << random.nextInt(8));
                }
                Files.write(file, damaged);
                try (HotGraph graph = engine.open(dir, descriptor(spec, POINTS))) {
                    graph.nearest(query(1), K, null, Integer.MAX_VALUE);
                } catch (CorruptException e) {
                    refused++;
                } catch (IOException | RuntimeException e) {
                    // Whatever it is, it is one, and the process lives on.
                    assertThat(e).isNotNull();
                }
            }
            Files.write(file, whole);
        }
        assertThat(refused).isGreaterThan(files.size());
        assertThatThrownBy(() -> engine.open(dir, descriptor(spec, POINTS + 1)))
                .isInstanceOf(CorruptException.class)
                .hasMessageContaining("1500 points, not of one and 1501");
        engine.open(dir, descriptor(spec, POINTS)).close();
    }

    private void fill(float scale) {
        vectors.clear();
        for (int i = 0; i < POINTS; i++) {
            vectors.add(query(scale));
        }
    }

    private float[] query(float scale) {
        float[] vector = new float[DIM];
        for (int i = 0; i < DIM; i++) {
            vector[i] = (float) random.nextGaussian() * scale;
        }
        return vector;
    }

    private HotGraph built(Distance distance) throws IOException {
        HotDescriptor.Spec spec = spec(distance);
        build(spec);
        HotGraph graph = engine.open(dir, descriptor(spec, vectors.size()));
        try (Stream<Path> files = Files.list(dir)) {
            for (Path file : files.toList()) {
                Files.delete(file);
            }
        }
        return graph;
    }

    private void build(HotDescriptor.Spec spec) throws IOException {
        try (HotGraphBuilder builder = engine.newGraph(dir, spec)) {
            for (int i = 0; i < vectors.size(); i++) {
                builder.add(FIRST_ROW + i, vectors.get(i));
            }
            builder.finish();
        }
    }

    private static HotDescriptor.Spec spec(Distance distance) {
        return new HotDescriptor.Spec(DIM, distance, Hnsw.DEFAULT, null, List.of(), 1);
    }

    private HotDescriptor descriptor(HotDescriptor.Spec spec, long points) {
        return new HotDescriptor(
                engine.name(),
                1,
                "_vector_0",
                "v",
                spec,
                1,
                1,
                0,
                points,
                points,
                List.of(),
                0,
                0,
                1,
                0);
    }

    private double recall(HotGraph graph, Distance distance, float scale, LongPredicate wanted)
            throws IOException {
        int found = 0;
        for (int i = 0; i < QUERIES; i++) {
            float[] query = query(scale);
            Set<Long> nearest = nearest(query, distance, wanted);
            found +=
                    (int)
                            LongStream.of(
                                            graph.nearest(query, 100, wanted, Integer.MAX_VALUE)
                                                    .orElseThrow()
                                                    .rowIds())
                                    .limit(K)
                                    .filter(nearest::contains)
                                    .count();
        }
        return found / (double) (K * QUERIES);
    }

    private Set<Long> nearest(float[] query, Distance distance, LongPredicate wanted) {
        return IntStream.range(0, vectors.size())
                .filter(i -> wanted == null || wanted.test(FIRST_ROW + i))
                .boxed()
                .sorted(Comparator.comparingDouble(i -> between(query, vectors.get(i), distance)))
                .limit(K)
                .map(i -> FIRST_ROW + i)
                .collect(Collectors.toSet());
    }

    private static double between(float[] a, float[] b, Distance distance) {
        double dot = 0;
        double norms = 0;
        double squares = 0;
        double differences = 0;
        for (int i = 0; i < a.length; i++) {
            dot += (double) a[i] * b[i];
            norms += (double) b[i] * b[i];
            squares += Math.pow((double) a[i] - b[i], 2);
            differences += Math.abs((double) a[i] - b[i]);
        }
        return switch (distance) {
            case COSINE -> -dot / Math.sqrt(norms);
            case DOT -> -dot;
            case EUCLID -> squares;
            case MANHATTAN -> differences;
        };
    }
}
