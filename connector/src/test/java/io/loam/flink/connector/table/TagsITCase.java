package io.loam.flink.connector.table;

import io.loam.codec.manifest.CollectionManifest;
import io.loam.store.metastore.Tag;
import io.loam.store.tag.TagOptions;
import io.loam.store.tag.TagTarget;
import io.loam.store.tag.Tags;

import org.apache.flink.table.api.bridge.java.StreamTableEnvironment;
import org.apache.flink.types.Row;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** Versions that tags name are read, whether or not they are retained otherwise. */
class TagsITCase extends TableTestBase {
    private static final String TAGGED = " /*+ OPTIONS('scan.tag' = 'first') */";

    private Tag tag;

    @BeforeEach
    void createTable() throws Exception {
        for (StreamTableEnvironment environment : List.of(batch, streaming)) {
            environment.executeSql(
                    "CREATE CATALOG loam WITH ('type' = 'loam', 'warehouse' = '"
                            + directory.resolve("warehouse")
                            + "')");
            environment.executeSql("USE CATALOG loam");
        }
        batch.executeSql(
                "CREATE TABLE docs (id BIGINT, title STRING, vec ARRAY<FLOAT>,"
                        + " PRIMARY KEY (id) NOT ENFORCED)"
                        + " WITH ('fields.vec.dimension' = '1')");
        insert(1, "old fox");
        tag = create("first", new TagOptions("before the move", null, true));
    }

    private void insert(int id, String title) throws Exception {
        run(
                batch,
                "INSERT INTO docs VALUES (%d, '%s', ARRAY[CAST(%d AS FLOAT)])"
                        .formatted(id, title, id));
    }

    private Tag create(String name, TagOptions options) throws IOException {
        return reading(
                "docs",
                collection -> new Tags(collection).create(name, TagTarget.current(), options));
    }

    /** Ends the chain of retained versions before the tagged one. */
    private void collectBetween() throws IOException {
        reading(
                "docs",
                collection -> {
                    CollectionManifest live = collection.live().manifest();
                    collection.objects().delete(live.parentManifest());
                    return live;
                });
    }

    @Test
    void aTaggedVersionIsReadLookedUpAndSearched() throws Exception {
        insert(1, "new fox");
        insert(2, "another fox");
        collectBetween();
        for (String named : List.of(TAGGED, " /*+ OPTIONS('scan.version' = '1') */")) {
            assertThat(lines(batch, "SELECT id, title FROM docs" + named))
                    .as(named)
                    .containsExactly("+I[1, old fox]");
            assertThat(lines(batch, "SELECT COUNT(*) FROM docs" + named)).containsExactly("+I[1]");
            assertThat(lines(batch, "SELECT title FROM docs" + named + " WHERE id IN (1, 2)"))
                    .containsExactly("+I[old fox]");
            assertThat(lines(batch, "SELECT SUM(physical_rows) FROM docs$fragments" + named))
                    .containsExactly("+I[1]");
            assertThat(
                            lines(
                                    streaming,
                                    "SELECT q.id, d.title FROM (SELECT CAST(n AS BIGINT) AS id,"
                                            + " PROCTIME() AS proc FROM (VALUES (1), (2)) AS v (n))"
                                            + " AS q LEFT JOIN docs"
                                            + named
                                            + " FOR SYSTEM_TIME AS OF q.proc AS d ON d.id = q.id"))
                    .containsExactlyInAnyOrder("+I[1, old fox]", "+I[2, null]");
            assertThat(
                            lines(
                                    batch,
                                    "SELECT title, score FROM TABLE(VECTOR_SEARCH((SELECT * FROM"
                                            + " docs"
                                            + named
                                            + "), DESCRIPTOR(vec), ARRAY[2], 5))"))
                    .containsExactly("+I[old fox, 0.0]");
        }
        assertThat(
                        lines(
                                batch,
                                "SELECT title FROM TABLE(TEXT_SEARCH('docs', 'fox', 5,"
                                        + " MAP['scan.tag', 'first']))"))
                .containsExactly("+I[old fox]");
        batch.executeSql("ALTER TABLE docs SET ('scan.tag' = 'first')");
        assertThat(lines(batch, "SELECT title FROM docs")).containsExactly("+I[old fox]");
        assertThat(lines(batch, "SELECT title FROM TABLE(TEXT_SEARCH('docs', 'fox', 5))"))
                .containsExactly("+I[old fox]");
        assertThat(
                        lines(
                                batch,
                                "SELECT COUNT(*) FROM docs FOR SYSTEM_TIME AS OF TIMESTAMP"
                                        + " '2999-01-01 00:00:00'"))
                .containsExactly("+I[2]");
    }

    @Test
    void tagsAreListed() throws Exception {
        Tag brief = create("brief", new TagOptions("", Duration.ofSeconds(2), false));
        Awaitility.await()
                .atMost(Duration.ofMinutes(10))
                .pollInSameThread()
                .until(() -> brief.isExpired(reading("docs", one -> one.metastore().clockMs())));
        assertThat(rows(batch, "SELECT * FROM docs$tags"))
                .containsExactly(
                        Row.of(
                                "brief",
                                1L,
                                Instant.ofEpochMilli(brief.createdAtMs()),
                                Instant.ofEpochMilli(brief.expiresAtMs()),
                                true,
                                false,
                                ""),
                        Row.of(
                                "first",
                                1L,
                                Instant.ofEpochMilli(tag.createdAtMs()),
                                null,
                                false,
                                true,
                                "before the move"));
        refused(
                "SELECT * FROM docs /*+ OPTIONS('scan.tag' = 'brief') */",
                "tag \"brief\" of collection docs has expired");
    }

    @Test
    void aTagThatIsNotThereIsToldFromThoseThatAre() throws Exception {
        String missing = "collection docs has no tag \"last\"; it has first";
        String last = " /*+ OPTIONS('scan.tag' = 'last') */";
        refused("SELECT * FROM docs" + last, missing);
        refused("SELECT * FROM docs$splits" + last, missing);
        refused(
                "SELECT * FROM TABLE(TEXT_SEARCH('docs', 'x', 1, MAP['scan.tag', 'last']))",
                missing);
        refused(
                "SELECT * FROM docs /*+ OPTIONS('scan.tag' = 'first', 'scan.version' = '1') */",
                "'scan.tag' = 'first' names the version to read and goes with no other option");
        reading(
                "docs",
                collection -> {
                    new Tags(collection).delete("first");
                    return collection.info();
                });
        refused("SELECT * FROM docs" + TAGGED, "has no tag \"first\"; it has none");
    }

    private void refused(String query, String message) {
        assertThatThrownBy(() -> batch.explainSql(query))
                .as(query)
                .hasStackTraceContaining(message);
    }
}
