package io.loam.store.scan;

import io.loam.codec.json.Json;
import io.loam.codec.json.JsonValue.JsonObject;
import io.loam.store.CollectionHandle;
import io.loam.store.chain.Retention;
import io.loam.store.chain.SnapshotExpiredException;
import io.loam.store.commit.CommitterOptions;
import io.loam.store.commit.LinkApplyCommitter;
import io.loam.store.tag.TagOptions;
import io.loam.store.tag.TagTarget;
import io.loam.store.tag.Tags;
import io.loam.store.testing.TestCollection;
import io.loam.store.testing.TestWriter;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

class ScanPlannerTest {
    private static final long DAY = Duration.ofDays(1).toMillis();

    @TempDir Path dir;
    private long clockMs = 1_700_000_000_000L;
    private TestCollection collection;
    private CollectionHandle handle;

    @BeforeEach
    void create() throws IOException {
        collection = TestCollection.inMemory(dir, 1, () -> clockMs);
        handle = collection.open();
    }

    @AfterEach
    void close() throws IOException {
        collection.close();
    }

    private void commit(int keys) throws IOException {
        for (int key = 0; key < keys; key++) {
            collection.upsert(key, "{\"n\":" + key + "}");
        }
        TestWriter writer = collection.writer();
        try (LinkApplyCommitter committer =
                new LinkApplyCommitter(
                        collection.open(), CommitterOptions.of("a").withTakeOver(true))) {
            committer.commit(writer.checkpoint(1), false);
        }
    }

    private ScanPlan plan(TagTarget at) throws IOException {
        return new ScanPlanner(handle, null).plan(at);
    }

    private static String printed(ScanPlan plan, String member) {
        return Json.text(plan.json().members().get(member));
    }

    @Test
    void beforeTheFirstCommitThereIsNothingToRead() throws IOException {
        ScanPlan plan = plan(TagTarget.current());
        assertThat(Json.text(plan.json()))
                .isEqualTo(
                        "{\"namespace\":\"default\",\"collection\":\"docs\",\"collection_id\":1,"
                                + "\"manifest_version\":0,\"schema_version\":1,\"lance\":null,"
                                + "\"fragments\":[],\"live_rows\":0,\"columns\":[],"
                                + "\"pk_encoding\":\"loams_canonical_v1\",\"tail\":null,"
                                + "\"tail_records\":null,\"offsets\":[],\"durable_token\":null,"
                                + "\"pin\":{\"manifest_version\":0,\"token\":\"v1:\",\"tag\":null},"
                                + "\"planned_at_ms\":1700000000000,\"expires_at_ms\":null}");
        assertThat(plan(TagTarget.version(0)).expiresAtMs()).isNull();
    }

    @Test
    void tellsWhatToOpen() throws IOException {
        commit(5);
        commit(2);
        ScanPlan plan = plan(TagTarget.current());
        long lance = handle.live().manifest().lanceVersion();
        JsonObject dataset = (JsonObject) plan.json().members().get("lance");
        assertThat(Json.text(dataset.members().get("version")))
                .isEqualTo(Long.toUnsignedString(lance));
        assertThat(Json.text(dataset.members().get("manifest_path")))
                .isEqualTo("\"_versions/d" + Long.toUnsignedString(lance) + ".manifest\"");
        assertThat(Json.text(dataset.members().get("storage_format"))).isEqualTo("\"2.1\"");
        assertThat(plan.liveRows()).isEqualTo(5);
        assertThat(plan.fragments()).hasSize(2);
        assertThat(printed(plan, "fragments"))
                .contains("\"physical_rows\":5,\"deleted_rows\":2,\"live_rows\":3")
                .contains("\"kind\":\"bitmap\"");
        assertThat(printed(plan, "columns"))
                .isEqualTo(
                        "[{\"name\":\"_pk\",\"role\":\"pk\"},{\"name\":\"_source\","
                                + "\"role\":\"source\"},{\"name\":\"_ingest_partition\","
                                + "\"role\":\"system\"},{\"name\":\"_ingest_offset\","
                                + "\"role\":\"system\"}]");
    }

    @Test
    void fragmentsWithoutLiveRowsAreLeftOut() throws IOException {
        commit(3);
        commit(3);
        ScanPlan plan = plan(TagTarget.current());
        assertThat(plan.fragments()).hasSize(1);
        assertThat(plan.liveRows()).isEqualTo(3);
    }

    @Test
    void tellsHowLongItCanBeReliedUpon() throws IOException {
        commit(1);
        clockMs += 1000;
        commit(1);
        long superseded = handle.live().manifest().createdAtMs();
        clockMs += 5000;
        commit(1);
        clockMs += 5000;

        assertThat(plan(TagTarget.current()).expiresAtMs()).isEqualTo(clockMs + DAY);
        assertThat(plan(TagTarget.version(3)).expiresAtMs()).isEqualTo(clockMs + DAY);
        ScanPlan older = plan(TagTarget.version(1));
        assertThat(older.expiresAtMs()).isEqualTo(superseded + Retention.DEFAULT.retentionMs());
        assertThat(older.plannedAtMs()).isEqualTo(clockMs);
        assertThatThrownBy(() -> plan(TagTarget.version(4)))
                .isInstanceOf(SnapshotExpiredException.class);

        Tags tags = new Tags(handle);
        tags.create("ever", TagTarget.version(1), TagOptions.DEFAULT);
        tags.create("week", TagTarget.version(2), new TagOptions("", Duration.ofDays(7), false));
        ScanPlanner planner = new ScanPlanner(handle, null);
        assertThat(planner.planTagged("ever").expiresAtMs()).isNull();
        assertThat(planner.planTagged("ever").manifestVersion()).isEqualTo(1);
        ScanPlan week = planner.planTagged("week");
        assertThat(week.expiresAtMs()).isEqualTo(clockMs + 7 * DAY);
        assertThat(printed(week, "pin"))
                .isEqualTo("{\"manifest_version\":2,\"token\":\"v1:s1/p0@2\",\"tag\":\"week\"}");
    }

    @Test
    void tellsWhatTheStreamHoldsBeyondTheVersion() throws IOException {
        commit(3);
        ScanPlan behind = new ScanPlanner(handle, Map.of(0, 10L)).plan(TagTarget.current());
        assertThat(printed(behind, "tail")).isEqualTo("true");
        assertThat(printed(behind, "tail_records")).isEqualTo("7");
        assertThat(printed(behind, "offsets"))
                .isEqualTo("[{\"partition\":0,\"applied\":3,\"target\":10}]");
        assertThat(printed(behind, "durable_token")).isEqualTo("\"v1:s1/p0@10\"");
        ScanPlan level = new ScanPlanner(handle, Map.of(0, 3L)).plan(TagTarget.token("v1:s1/p0@3"));
        assertThat(printed(level, "tail")).isEqualTo("false");
        assertThat(level.manifestVersion()).isEqualTo(1);
    }
}
