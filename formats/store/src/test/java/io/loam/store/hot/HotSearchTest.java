package io.loam.store.hot;

import io.loam.codec.hot.RowIdSet;
import io.loam.codec.schema.CollectionSchema;
import io.loam.codec.schema.CollectionSchema.Distance;
import io.loam.codec.schema.CollectionSchema.Element;
import io.loam.codec.schema.CollectionSchema.Hnsw;
import io.loam.codec.schema.CollectionSchema.Vector;
import io.loam.codec.schema.CollectionSchema.VectorIndex;
import io.loam.codec.schema.HotConfiguration;
import io.loam.store.CollectionHandle;
import io.loam.store.LiveManifest;
import io.loam.store.commit.CommitterOptions;
import io.loam.store.commit.LinkApplyCommitter;
import io.loam.store.maintain.MaintenanceOptions;
import io.loam.store.maintain.MaintenanceRound;
import io.loam.store.spi.Projection;
import io.loam.store.spi.RowCursor;
import io.loam.store.spi.RowSnapshot;
import io.loam.store.spi.StoredRow;
import io.loam.store.testing.TestCollection;
import io.loam.store.testing.TestWriter;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

import static org.assertj.core.api.Assertions.assertThat;

/** When a graph is not served. */
class HotSearchTest {
    private static final int MOST = 3;

    @TempDir Path dir;

    private TestCollection collection;
    private CollectionHandle handle;
    private LinkApplyCommitter apply;
    private TestWriter writer;

    @BeforeEach
    void create() throws IOException {
        collection = new TestCollection(dir, 1, schema());
        handle = collection.open();
        writer = collection.writer();
        apply = new LinkApplyCommitter(handle, CommitterOptions.of("writer"), ms -> {});
        upsert(0, 10);
        new MaintenanceRound(handle, MaintenanceOptions.of("hot"), dir).run();
    }

    @AfterEach
    void close() throws IOException {
        apply.close();
        handle.close();
        collection.close();
    }

    private static CollectionSchema schema() {
        Vector vector =
                new Vector(
                        "v",
                        1,
                        Distance.EUCLID,
                        Element.F32,
                        new VectorIndex.None(),
                        Hnsw.DEFAULT,
                        null);
        return TestCollection.schema(
                1, List.of("n"), List.of(vector), Map.of(HotConfiguration.KEY, "*"));
    }

    private void upsert(int from, int to) throws IOException {
        for (int key = from; key < to; key++) {
            collection.upsert(key, "{}", "v", key);
        }
        apply.commit(writer.checkpoint(1), false);
    }

    private void delete(int... keys) throws IOException {
        for (int key : keys) {
            collection.delete(key);
        }
        apply.commit(writer.checkpoint(1), false);
    }

    /** With other live rows than the version has, if given. */
    private String state(RowIdSet... live) throws IOException {
        LiveManifest now = handle.live();
        try (RowSnapshot rows = handle.rows().open(now.manifest(), schema());
                HotSearch search =
                        new HotSearch(
                                handle.hotGraphs(),
                                now.manifest(),
                                () -> live.length > 0 ? live[0] : live(rows),
                                () -> rows,
                                MOST)) {
            String state = search.describe(schema(), "v");
            assertThat(search.serves(schema(), "v")).isEqualTo(state.startsWith("hot graph"));
            return state;
        }
    }

    private static RowIdSet live(RowSnapshot rows) throws IOException {
        RowIdSet live = new RowIdSet();
        try (RowCursor cursor = rows.scan(Projection.KEYS, 0, 1)) {
            for (StoredRow row = cursor.next(); row != null; row = cursor.next()) {
                live.add(row.rowId());
            }
        }
        return live;
    }

    @Test
    void withTooManyRowsDeleted() throws IOException {
        delete(0, 1, 2);
        assertThat(state()).contains("(10 points, 3 rows deleted since, 0 newer)");
        delete(3);
        assertThat(state()).isEqualTo("of its hot graph 4 rows are deleted");
    }

    @Test
    void withTooManyNewerRows() throws IOException {
        upsert(10, 13);
        assertThat(state()).contains("(10 points, 0 rows deleted since, 3 newer)");
        upsert(13, 14);
        assertThat(state()).isEqualTo("4 rows are newer than its hot graph");
    }

    @Test
    void withARowThatItShouldKnow() throws IOException {
        upsert(10, 11);
        LiveManifest now = handle.live();
        RowIdSet live;
        try (RowSnapshot rows = handle.rows().open(now.manifest(), schema())) {
            live = live(rows);
        }
        live.add(live.toArray()[0] - 1);
        assertThat(state(live)).isEqualTo("its hot graph does not know all rows");
    }

    @Test
    void withoutAGraph() throws IOException {
        try (CollectionHandle other = collection.open();
                HotSearch search =
                        new HotSearch(
                                other.hotGraphs(),
                                other.live().manifest(),
                                RowIdSet::new,
                                () -> null)) {
            assertThat(search.describe(schema(), "nothing")).isEqualTo("there is no hot graph");
        }
    }
}
