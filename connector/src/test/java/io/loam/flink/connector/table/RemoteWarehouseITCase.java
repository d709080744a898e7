package io.loam.flink.connector.table;

import io.loam.s3.testing.S3Server;
import io.loam.s3.testing.S3Servers;
import io.loam.store.testing.TestPostgres;

import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import org.apache.flink.table.api.bridge.java.StreamTableEnvironment;
import org.apache.flink.types.Row;
import org.apache.flink.util.CloseableIterator;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;

import static org.assertj.core.api.Assertions.assertThat;

/** What the page on SQL says, with the objects in S3 and the metastore in PostgreSQL. */
class RemoteWarehouseITCase extends TableTestBase {
    private static EmbeddedPostgres database;

    @BeforeAll
    static void startDatabase() throws IOException {
        database = TestPostgres.builder().start();
    }

    @AfterAll
    static void stopDatabase() throws IOException {
        database.close();
    }

    /** The options of a catalog there, in a bucket of its own. */
    private static Map<String, String> options() throws IOException {
        S3Server server = S3Servers.s3Proxy();
        Map<String, String> options = new TreeMap<>(server.properties());
        options.put("type", "loam");
        options.put("warehouse", "s3://" + S3Servers.newBucket(server) + "/ware/house");
        options.put("metastore.url", database.getJdbcUrl("postgres", "postgres"));
        options.put("metastore.user", "postgres");
        options.put("metastore.password", "not-asked-for");
        return options;
    }

    @Test
    void tablesAreWrittenReadSearchedAndFollowed() throws Exception {
        String catalog =
                options().entrySet().stream()
                        .map(one -> "'" + one.getKey() + "' = '" + one.getValue() + "'")
                        .collect(Collectors.joining(", ", "CREATE CATALOG loam WITH (", ")"));
        for (StreamTableEnvironment environment : List.of(batch, streaming)) {
            environment.executeSql(catalog);
            environment.executeSql("USE CATALOG loam");
        }
        batch.executeSql(
                "CREATE TABLE articles (id STRING, title STRING, tag STRING, n INT,"
                        + " vec ARRAY<FLOAT>, PRIMARY KEY (id) NOT ENFORCED)"
                        + " WITH ('fields.title.analyzer' = 'english', 'fields.tag.kind' ="
                        + " 'keyword', 'fields.vec.dimension' = '2')");
        run(
                batch,
                "INSERT INTO articles VALUES ('a', 'The quick brown fox', 'animal', 1, "
                        + vector(1, 0)
                        + "), ('b', 'A lazy dog', 'animal', 2, "
                        + vector(0, 1)
                        + "), ('c', 'A rose', 'plant', 3, "
                        + vector(1, 1)
                        + ")");
        run(streaming, "INSERT INTO articles (id, n) VALUES ('a', 10), ('d', 4)");
        run(batch, "DELETE FROM articles WHERE tag = 'plant'");
        run(batch, "UPDATE articles SET title = 'A lazy dog and a fox' WHERE id = 'b'");
        read();
        search();
        followed();
        told();
    }

    private static String vector(int x, int y) {
        return "ARRAY[CAST(" + x + " AS FLOAT), CAST(" + y + " AS FLOAT)]";
    }

    private void read() throws Exception {
        assertThat(lines(batch, "SELECT id, title, n FROM articles ORDER BY id"))
                .containsExactly(
                        "+I[a, The quick brown fox, 10]",
                        "+I[b, A lazy dog and a fox, 2]",
                        "+I[d, null, 4]");
        assertThat(lines(batch, "SELECT COUNT(*) FROM articles")).containsExactly("+I[3]");
        assertThat(lines(batch, "SELECT id FROM articles WHERE tag = 'animal' AND n < 5"))
                .containsExactly("+I[b]");
        assertThat(
                        lines(
                                batch,
                                "SELECT id, n FROM articles /*+ OPTIONS('scan.version' = '1') */"
                                        + " ORDER BY id"))
                .containsExactly("+I[a, 1]", "+I[b, 2]", "+I[c, 3]");
        String questions =
                "(SELECT id, PROCTIME() AS proc FROM (VALUES ('a'), ('c'), ('d')) AS v (id)) AS q";
        assertThat(
                        lines(
                                streaming,
                                "SELECT q.id, a.n FROM "
                                        + questions
                                        + " LEFT JOIN articles FOR SYSTEM_TIME AS OF q.proc AS a ON"
                                        + " a.id = q.id"))
                .containsExactlyInAnyOrder("+I[a, 10]", "+I[c, null]", "+I[d, 4]");
    }

    private void search() throws Exception {
        assertThat(lines(batch, "SELECT id FROM TABLE(TEXT_SEARCH('articles', 'foxes', 5))"))
                .containsExactlyInAnyOrder("+I[a]", "+I[b]");
        assertThat(
                        lines(
                                streaming,
                                "SELECT q.t, d.id FROM (VALUES ('rose'), ('lazy')) AS q (t),"
                                        + " LATERAL TABLE(TEXT_SEARCH('articles', q.t, 5,"
                                        + " MAP['scan.version', '1'])) AS d"))
                .containsExactlyInAnyOrder("+I[rose, c]", "+I[lazy, b]");
        assertThat(
                        lines(
                                batch,
                                "SELECT id, score FROM TABLE(VECTOR_SEARCH(TABLE articles,"
                                        + " DESCRIPTOR(vec), ARRAY[1, 0], 3))"))
                .containsExactly("+I[a, 0.0]", "+I[b, 1.0]");
        assertThat(
                        lines(
                                batch,
                                "SELECT id FROM TABLE(HYBRID_SEARCH('articles', 'dog', 'vec',"
                                        + " ARRAY[1, 0], 2))"))
                .containsExactly("+I[b]", "+I[a]");
    }

    /** The changes since the first commit end where the table is. */
    private void followed() throws Exception {
        Map<String, String> level = new TreeMap<>();
        List<String> changes = new ArrayList<>();
        try (CloseableIterator<Row> rows =
                streaming
                        .executeSql(
                                "SELECT id, title, n, tag FROM articles /*+ OPTIONS('scan.mode' ="
                                        + " 'from-version', 'scan.version' = '0') */")
                        .collect()) {
            while (changes.size() < 9) {
                Row row = rows.next();
                String id = row.getFieldAs("id");
                changes.add(row.getKind().shortString() + id);
                switch (row.getKind()) {
                    case INSERT, UPDATE_AFTER ->
                            level.put(id, row.getField("title") + "/" + row.getField("n"));
                    default -> level.remove(id);
                }
            }
        }
        assertThat(changes)
                .containsExactlyInAnyOrder(
                        "+Ia", "+Ib", "+Ic", "-Ua", "+Ua", "+Id", "-Dc", "-Ub", "+Ub");
        assertThat(level)
                .isEqualTo(
                        Map.of(
                                "a", "The quick brown fox/10",
                                "b", "A lazy dog and a fox/2",
                                "d", "null/4"));
    }

    private void told() throws Exception {
        assertThat(lines(batch, "SELECT SUM(live_rows) FROM articles$fragments"))
                .containsExactly("+I[3]");
        List<String> verified = lines(batch, "CALL sys.verify('articles')");
        assertThat(verified.get(verified.size() - 1))
                .isEqualTo("+I[verified, 3 keys, 0 violations, 0]");
        assertThat(lines(batch, "SHOW CREATE TABLE articles").get(0))
                .contains("'fields.vec.dimension' = '2'")
                .doesNotContain("s3.", "metastore.", S3Server.SECRET_KEY);
    }
}
