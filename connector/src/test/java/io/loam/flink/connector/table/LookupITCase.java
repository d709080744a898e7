package io.loam.flink.connector.table;

import org.apache.flink.table.api.TableResult;
import org.apache.flink.types.Row;
import org.apache.flink.util.CloseableIterator;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import java.util.List;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** Joins of a stream with the documents of its keys. */
class LookupITCase extends TableTestBase {
    private static final String ASYNC = "'lookup.async' = 'true'";
    private static final String CACHED =
            "'lookup.cache' = 'PARTIAL', 'lookup.partial-cache.max-rows' = '100'";

    @BeforeEach
    void createTables() {
        create(
                "CREATE TABLE docs (id BIGINT, title STRING, n INT, vec ARRAY<FLOAT>,"
                        + " PRIMARY KEY (id) NOT ENFORCED)"
                        + with("fields.vec.dimension", "2", "lookup.refresh-interval", "0 s"));
    }

    /** A bounded stream of s from 1 to {@code end}. */
    private void questions(int end) {
        questions("questions", end, 1000);
    }

    private void questions(String name, long end, int perSecond) {
        create(
                "CREATE TABLE "
                        + name
                        + " (s BIGINT, proc AS PROCTIME()) WITH ('connector' = 'datagen',"
                        + " 'rows-per-second' = '"
                        + perSecond
                        + "', 'fields.s.kind' = 'sequence', 'fields.s.start' = '1',"
                        + " 'fields.s.end' = '"
                        + end
                        + "')");
    }

    private static String join(String columns, String options, String condition) {
        return "SELECT "
                + columns
                + " FROM questions AS q LEFT JOIN docs "
                + (options.isEmpty() ? "" : "/*+ OPTIONS(" + options + ") */")
                + " FOR SYSTEM_TIME AS OF q.proc AS d ON "
                + condition;
    }

    @Test
    void everyKeyFindsItsDocument() throws Exception {
        run(
                batch,
                "INSERT INTO docs VALUES"
                        + " (0, 'zero', 0, ARRAY[CAST(1 AS FLOAT), CAST(2 AS FLOAT)]),"
                        + " (1, 'one', 1, CAST(NULL AS ARRAY<FLOAT>)),"
                        + " (3, CAST(NULL AS STRING), 3, CAST(NULL AS ARRAY<FLOAT>))");
        questions(8);
        for (String options : List.of("", ASYNC, CACHED, ASYNC + ", " + CACHED)) {
            everyKeyFindsItsDocument(options);
        }
    }

    private void everyKeyFindsItsDocument(String options) throws Exception {
        assertThat(lines(streaming, join("s, title, vec", options, "MOD(q.s, 4) = d.id")))
                .containsExactlyInAnyOrder(
                        "+I[1, one, null]",
                        "+I[2, null, null]",
                        "+I[3, null, null]",
                        "+I[4, zero, [1.0, 2.0]]",
                        "+I[5, one, null]",
                        "+I[6, null, null]",
                        "+I[7, null, null]",
                        "+I[8, zero, [1.0, 2.0]]");
    }

    @Test
    void conditionsBesideTheKeyHold() throws Exception {
        run(
                batch,
                "INSERT INTO docs (id, title, n) VALUES (1, 'one', 1), (2, 'two', 2),"
                        + " (3, CAST(NULL AS STRING), 3)");
        questions(3);
        assertThat(lines(streaming, join("s, n", "", "d.id = q.s AND d.title = 'two'")))
                .containsExactlyInAnyOrder("+I[1, null]", "+I[2, 2]", "+I[3, null]");
        assertThat(
                        lines(
                                streaming,
                                join("s, n", "", "d.id = q.s AND d.n = CAST(q.s * 2 - 2 AS INT)")))
                .containsExactlyInAnyOrder("+I[1, null]", "+I[2, 2]", "+I[3, null]");
    }

    @Test
    void valuesThatAreNoKeyFindNothing() throws Exception {
        create("CREATE TABLE texts (id STRING, n INT, PRIMARY KEY (id) NOT ENFORCED)" + with());
        create("CREATE TABLE uuids (id BINARY(16), n INT, PRIMARY KEY (id) NOT ENFORCED)" + with());
        run(batch, "INSERT INTO texts VALUES ('1', 1)");
        run(batch, "INSERT INTO uuids VALUES (X'31313131313131313131313131313131', 1)");
        questions(4);
        String keys =
                "(SELECT s, proc, CASE s WHEN 1 THEN '1' WHEN 2 THEN REPEAT('x', 600)"
                        + " WHEN 3 THEN '' END AS id FROM questions) AS q";
        assertThat(
                        lines(
                                streaming,
                                "SELECT s, n FROM "
                                        + keys
                                        + " LEFT JOIN texts FOR SYSTEM_TIME AS OF q.proc AS d"
                                        + " ON d.id = q.id"))
                .containsExactlyInAnyOrder("+I[1, 1]", "+I[2, null]", "+I[3, null]", "+I[4, null]");
        String bytes =
                "(SELECT s, proc, ENCODE(REPEAT(CAST(s AS STRING), 17 - CAST(s AS INT)), 'UTF-8')"
                        + " AS id FROM questions) AS q";
        assertThat(
                        lines(
                                streaming,
                                "SELECT s, n FROM "
                                        + bytes
                                        + " LEFT JOIN uuids FOR SYSTEM_TIME AS OF q.proc AS d"
                                        + " ON d.id = q.id"))
                .containsExactlyInAnyOrder("+I[1, 1]", "+I[2, null]", "+I[3, null]", "+I[4, null]");
    }

    @Test
    void aCompositeKeyIsLookedUpInAnyOrder() throws Exception {
        create(
                "CREATE TABLE pairs (title STRING, n BIGINT, region STRING,"
                        + " v BIGINT METADATA FROM '_version' VIRTUAL,"
                        + " PRIMARY KEY (region, n) NOT ENFORCED)"
                        + with());
        run(batch, "INSERT INTO pairs VALUES ('one', 1, 'eu'), ('uno', 1, 'us'), ('two', 2, 'eu')");
        questions(3);
        assertThat(
                        lines(
                                streaming,
                                "SELECT v, s, title FROM questions AS q"
                                        + " JOIN pairs FOR SYSTEM_TIME AS OF q.proc AS p"
                                        + " ON q.s = p.n AND p.region = 'eu'"))
                .containsExactlyInAnyOrder("+I[1, 1, one]", "+I[1, 2, two]");
        assertThatThrownBy(
                        () ->
                                lines(
                                        streaming,
                                        "SELECT s, title FROM questions AS q"
                                                + " JOIN pairs FOR SYSTEM_TIME AS OF q.proc AS p"
                                                + " ON q.s = p.n"))
                .hasStackTraceContaining("it is looked up by (n)")
                .hasStackTraceContaining("each column of the primary key (region, n)");
    }

    @Test
    void whatCannotBeLookedUpIsRefused() throws Exception {
        run(batch, "INSERT INTO docs (id, title) VALUES (1, 'one')");
        questions(1);
        assertThatThrownBy(() -> lines(streaming, join("s", "", "d.n = CAST(q.s AS INT)")))
                .hasStackTraceContaining("it is looked up by (n)")
                .hasStackTraceContaining("each column of the primary key (id)");
        assertThatThrownBy(
                        () -> lines(streaming, join("n", "'lookup.cache' = 'FULL'", "d.id = q.s")))
                .hasStackTraceContaining("option lookup.cache: FULL is not supported");
        assertThatThrownBy(
                        () ->
                                lines(
                                        streaming,
                                        join("n", "'lookup.cache' = 'PARTIAL'", "d.id = q.s")))
                .hasStackTraceContaining("lookup.partial-cache.max-rows");
        assertThatThrownBy(
                        () ->
                                lines(
                                        streaming,
                                        join("n", "'lookup.max-retries' = '-1'", "d.id = q.s")))
                .hasStackTraceContaining("option lookup.max-retries: -1 is negative");
    }

    @Test
    void aNewVersionIsSeenUnlessARowIsCachedOrTheVersionIsPinned() throws Exception {
        run(batch, "INSERT INTO docs (id, n) VALUES (7, 1)");
        questions("endless", 1_000_000, 20);
        String query = "SELECT d.n, p.n, c.n, a.n FROM endless AS q";
        query += " JOIN docs FOR SYSTEM_TIME AS OF q.proc AS d ON d.id = q.s - q.s + 7";
        query +=
                " JOIN docs /*+ OPTIONS('scan.version' = '1') */ FOR SYSTEM_TIME AS OF q.proc AS p"
                        + " ON p.id = q.s - q.s + 7";
        query +=
                " JOIN docs /*+ OPTIONS("
                        + CACHED
                        + ") */ FOR SYSTEM_TIME AS OF q.proc AS c ON c.id = q.s - q.s + 7";
        query +=
                " JOIN docs /*+ OPTIONS("
                        + ASYNC
                        + ") */ FOR SYSTEM_TIME AS OF q.proc AS a ON a.id = q.s - q.s + 7";
        TableResult result = streaming.executeSql(query);
        try (CloseableIterator<Row> rows = result.collect()) {
            assertThat(rows.next()).isEqualTo(Row.of(1, 1, 1, 1));
            run(batch, "INSERT INTO docs (id, n) VALUES (7, 2)");
            Row row = rows.next();
            while (!row.getField(0).equals(2)) {
                row = rows.next();
            }
            assertThat(row).isEqualTo(Row.of(2, 1, 1, 2));
        }
    }
}
