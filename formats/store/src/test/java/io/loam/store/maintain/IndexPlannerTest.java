package io.loam.store.maintain;

import io.loam.codec.lance.LanceFragment;
import io.loam.codec.lance.LanceIndexSegment;
import io.loam.codec.schema.CollectionSchema;
import io.loam.codec.schema.CollectionSchema.Distance;
import io.loam.codec.schema.CollectionSchema.Element;
import io.loam.codec.schema.CollectionSchema.Hnsw;
import io.loam.codec.schema.CollectionSchema.Vector;
import io.loam.codec.schema.CollectionSchema.VectorIndex;
import io.loam.store.maintain.IndexPlanner.Indexed;
import io.loam.store.maintain.MaintenanceTask.BuildIndex;
import io.loam.store.spi.IndexKind;
import io.loam.store.spi.IndexRequest.Vectors;
import io.loam.store.testing.TestCollection;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** The rules of when an index is built, over which fragments. */
class IndexPlannerTest {
    private static final VectorIndex AUTO = new VectorIndex.Auto();

    private final List<LanceFragment> fragments = new ArrayList<>();
    private final List<LanceIndexSegment> segments = new ArrayList<>();
    private final Map<UUID, IndexKind> kinds = new HashMap<>();
    private final IndexPolicy noKeys = new IndexPolicy(true, 5_000, 20_000, 4, Long.MAX_VALUE);

    private void fragment(long id, long rows, long deleted) {
        fragments.add(
                new LanceFragment(
                        id, rows, deleted, List.of("data/" + id), deleted == 0 ? null : "d"));
    }

    private UUID segment(String name, IndexKind kind, Long... covered) {
        UUID id = new UUID(1, segments.size());
        segments.add(new LanceIndexSegment(id, name, Set.of(covered), List.of()));
        kinds.put(id, kind);
        return id;
    }

    private static CollectionSchema schema(Distance distance, VectorIndex index) {
        return TestCollection.schema(
                1,
                List.of(),
                List.of(new Vector("v", 384, distance, Element.F32, index, Hnsw.DEFAULT, null)));
    }

    private List<BuildIndex> plan(CollectionSchema schema) {
        return plan(noKeys, schema);
    }

    private List<BuildIndex> plan(IndexPolicy policy, CollectionSchema schema) {
        return new IndexPlanner(policy).plan(schema, new Indexed(fragments, segments, kinds));
    }

    @Test
    void theFirstIndexComesWithEnoughLiveRows() {
        fragment(1, 3000, 1);
        fragment(2, 2000, 0);
        assertThat(plan(schema(Distance.COSINE, AUTO))).isEmpty();
        fragment(3, 1, 0);
        assertThat(plan(schema(Distance.COSINE, AUTO)))
                .containsExactly(
                        new BuildIndex(
                                "vec_0",
                                "_vector_0",
                                "v",
                                IndexKind.IVF_PQ,
                                new Vectors(384, Distance.COSINE, null, null, 8),
                                List.of(1L, 2L, 3L),
                                List.of(),
                                null));
        assertThat(plan(noKeys.withEnabled(false), schema(Distance.COSINE, AUTO))).isEmpty();
    }

    @Test
    void neverWithoutRowsOrForManhattanOrWhereTheSchemaSaysNone() {
        assertThat(plan(schema(Distance.COSINE, AUTO))).isEmpty();
        fragment(1, 10_000, 0);
        fragment(2, 10, 10);
        assertThat(plan(schema(Distance.MANHATTAN, AUTO))).isEmpty();
        assertThat(plan(schema(Distance.DOT, new VectorIndex.None()))).isEmpty();
        assertThat(plan(schema(Distance.DOT, AUTO)).get(0).fragmentIds()).containsExactly(1L);
    }

    @Test
    void theSchemaChoosesKindPartitionsAndCodes() {
        fragment(1, 10_000, 0);
        BuildIndex pq = plan(schema(Distance.DOT, new VectorIndex.IvfPq(7L, 96L, 4))).get(0);
        assertThat(pq.kind()).isEqualTo(IndexKind.IVF_PQ);
        assertThat(pq.vectors()).isEqualTo(new Vectors(384, Distance.DOT, 7, 96, 4));
        BuildIndex rq = plan(schema(Distance.EUCLID, new VectorIndex.IvfRq(null, 5))).get(0);
        assertThat(rq.kind()).isEqualTo(IndexKind.IVF_RQ);
        assertThat(rq.vectors()).isEqualTo(new Vectors(384, Distance.EUCLID, null, null, 5));
        BuildIndex sq = plan(schema(Distance.COSINE, new VectorIndex.IvfHnswSq(9L))).get(0);
        assertThat(sq.kind()).isEqualTo(IndexKind.IVF_HNSW_SQ);
        assertThat(sq.vectors()).isEqualTo(new Vectors(384, Distance.COSINE, 9, null, 0));
    }

    @Test
    void uncoveredRowsGetASegmentOfTheirOwn() {
        fragment(1, 50_000, 0);
        fragment(2, 15_000, 0);
        fragment(3, 5_000, 1);
        UUID first = segment("vec_0", IndexKind.IVF_PQ, 1L);
        assertThat(plan(schema(Distance.COSINE, AUTO))).isEmpty();
        fragment(4, 1, 0);
        BuildIndex delta = plan(schema(Distance.COSINE, AUTO)).get(0);
        assertThat(delta.fragmentIds()).containsExactly(2L, 3L, 4L);
        assertThat(delta.replaced()).isEmpty();
        assertThat(delta.trained()).isEqualTo(first);
    }

    @Test
    void aSegmentThatOutgrowsAllOthersIsTrainedAnew() {
        fragment(1, 6_000, 0);
        fragment(2, 20_000, 0);
        segment("vec_0", IndexKind.IVF_PQ, 1L);
        BuildIndex delta = plan(schema(Distance.COSINE, AUTO)).get(0);
        assertThat(delta.fragmentIds()).containsExactly(2L);
        assertThat(delta.trained()).isNull();
    }

    @Test
    void inThePlaceOfAFourthSegmentAllIsBuiltAnew() {
        List<UUID> old = new ArrayList<>();
        for (long id = 1; id <= 3; id++) {
            fragment(id, 20_000, 0);
            old.add(segment("vec_0", IndexKind.IVF_PQ, id));
        }
        fragment(4, 19_999, 0);
        assertThat(plan(schema(Distance.COSINE, AUTO))).isEmpty();
        fragment(5, 1, 0);
        BuildIndex full = plan(schema(Distance.COSINE, AUTO)).get(0);
        assertThat(full.fragmentIds()).containsExactly(1L, 2L, 3L, 4L, 5L);
        assertThat(full.replaced()).isEqualTo(old);
        assertThat(full.trained()).isNull();
    }

    @Test
    void anotherKindIsBuiltAnew() {
        fragment(1, 6_000, 0);
        UUID old = segment("vec_0", IndexKind.IVF_PQ, 1L);
        assertThat(plan(schema(Distance.COSINE, AUTO))).isEmpty();
        BuildIndex full = plan(schema(Distance.COSINE, new VectorIndex.IvfHnswSq(null))).get(0);
        assertThat(full.replaced()).containsExactly(old);
        assertThat(full.kind()).isEqualTo(IndexKind.IVF_HNSW_SQ);
    }

    @Test
    void keysAreIndexedAsAWhole() {
        CollectionSchema none = TestCollection.schema(1, List.of(), List.of());
        fragment(1, 9_999, 0);
        assertThat(plan(IndexPolicy.DEFAULT, none)).isEmpty();
        fragment(2, 1, 0);
        BuildIndex first = plan(IndexPolicy.DEFAULT, none).get(0);
        assertThat(first)
                .isEqualTo(
                        new BuildIndex(
                                "pk_btree",
                                "_pk",
                                "",
                                IndexKind.BTREE,
                                null,
                                List.of(1L, 2L),
                                List.of(),
                                null));
        UUID old = segment("pk_btree", IndexKind.BTREE, 1L, 2L);
        fragment(3, 9_999, 0);
        assertThat(plan(IndexPolicy.DEFAULT, none)).isEmpty();
        fragment(4, 1, 0);
        BuildIndex next = plan(IndexPolicy.DEFAULT, none).get(0);
        assertThat(next.fragmentIds()).containsExactly(1L, 2L, 3L, 4L);
        assertThat(next.replaced()).containsExactly(old);
    }

    @Test
    void keysOfALargeCollectionWaitForATenth() {
        CollectionSchema none = TestCollection.schema(1, List.of(), List.of());
        fragment(1, 1_000_000, 0);
        segment("pk_btree", IndexKind.BTREE, 1L);
        fragment(2, 99_999, 0);
        assertThat(plan(IndexPolicy.DEFAULT, none)).isEmpty();
        fragment(3, 1, 0);
        assertThat(plan(IndexPolicy.DEFAULT, none)).hasSize(1);
    }

    @ParameterizedTest
    @CsvSource({"1, 1", "256, 16", "5000, 71", "16777216, 4096", "100000000, 4096"})
    void partitionsGrowWithTheRootOfTheRows(long rows, int partitions) {
        Vectors vectors = new Vectors(384, Distance.COSINE, null, null, 8);
        assertThat(vectors.partitionsOf(rows)).isEqualTo(partitions);
    }

    @ParameterizedTest
    @CsvSource({"384, 24", "24, 3", "100, 25", "6, 3", "7, 7", "1, 1"})
    void subVectorsAreOfSixteenDimensionsOrFewer(int dimension, int subVectors) {
        Vectors vectors = new Vectors(dimension, Distance.COSINE, null, null, 8);
        assertThat(vectors.subVectorCount()).isEqualTo(subVectors);
    }

    @Test
    void trainingNeedsRows() {
        assertThat(new Vectors(4, Distance.DOT, null, null, 8).canTrain(255)).isFalse();
        assertThat(new Vectors(4, Distance.DOT, null, null, 8).canTrain(256)).isTrue();
        assertThat(new Vectors(4, Distance.DOT, 300, null, 8).canTrain(299)).isFalse();
        assertThat(new Vectors(4, Distance.DOT, 300, null, 8).canTrain(300)).isTrue();
        assertThatThrownBy(() -> new Vectors(4, Distance.MANHATTAN, null, null, 8))
                .hasMessageContaining("Manhattan");
    }
}
