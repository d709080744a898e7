package io.loam.flink.connector.table;

import io.loam.codec.manifest.CollectionManifest;
import io.loam.store.query.QueryParser;
import io.loam.store.read.CollectionReader;
import io.loam.store.read.SearchResult;
import io.loam.store.spi.Projection;

import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.table.api.Schema;
import org.apache.flink.table.api.bridge.java.StreamTableEnvironment;
import org.apache.flink.table.connector.ChangelogMode;
import org.apache.flink.types.Row;
import org.apache.flink.types.RowKind;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** TEXT_SEARCH and HYBRID_SEARCH. */
class TextSearchITCase extends TableTestBase {
    private static final List<String> WORDS =
            List.of("red", "green", "blue", "fox", "dog", "cat", "runs", "sleeps", "quick", "lazy");
    private static final List<String> QUERIES =
            List.of(
                    "fox",
                    "quick fox",
                    "+red -dog lazy",
                    "\"green cat\"",
                    "fox AND (red OR blue)",
                    "tag:t2 sleeps",
                    "*");
    private static final TypeInformation<Row> ROW =
            Types.ROW_NAMED(
                    new String[] {"id", "title", "tag", "vec"},
                    Types.STRING,
                    Types.STRING,
                    Types.STRING,
                    Types.OBJECT_ARRAY(Types.FLOAT));

    @BeforeEach
    void loadModule() {
        create(
                "CREATE TABLE docs (id STRING, title STRING, tag STRING, vec ARRAY<FLOAT>,"
                        + " PRIMARY KEY (id) NOT ENFORCED)"
                        + with(
                                "fields.title.analyzer", "english",
                                "fields.tag.kind", "keyword",
                                "fields.vec.dimension", "2",
                                "fields.vec.distance", "euclid"));
        for (StreamTableEnvironment environment : List.of(batch, streaming)) {
            environment.executeSql(
                    "LOAD MODULE loam WITH ('warehouse' = '"
                            + directory.resolve("warehouse")
                            + "', 'lookup.refresh-interval' = '0 s')");
        }
    }

    /** Writes documents, writes some again, deletes some; gives those that are left, by key. */
    private Map<String, Row> write(Random random) throws Exception {
        Map<String, Row> model = new TreeMap<>();
        for (int round = 0; round < 3; round++) {
            List<Row> rows = new ArrayList<>();
            for (int id = round * 90; id < round * 90 + 150; id++) {
                List<String> title = new ArrayList<>();
                for (int i = 2 + random.nextInt(6); i > 0; i--) {
                    title.add(WORDS.get(random.nextInt(WORDS.size())));
                }
                Float[] vector = {random.nextInt(40) - 20f, random.nextInt(40) - 20f};
                Row row = Row.of("d" + id, String.join(" ", title), "t" + id % 4, vector);
                model.put("d" + id, row);
                rows.add(row);
            }
            write(rows);
        }
        List<Row> deletions = new ArrayList<>();
        for (int i = 0; i < 60; i++) {
            String id = "d" + random.nextInt(330);
            if (model.remove(id) != null) {
                deletions.add(Row.ofKind(RowKind.DELETE, id, null, null, null));
            }
        }
        write(deletions);
        return model;
    }

    private void write(List<Row> rows) throws Exception {
        StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
        env.setParallelism(1);
        env.enableCheckpointing(200);
        StreamTableEnvironment tables = StreamTableEnvironment.create(env);
        tables.executeSql(
                "CREATE TABLE docs (id STRING, title STRING, tag STRING, vec ARRAY<FLOAT>,"
                        + " PRIMARY KEY (id) NOT ENFORCED)"
                        + with(
                                "fields.title.analyzer", "english",
                                "fields.tag.kind", "keyword",
                                "fields.vec.dimension", "2",
                                "fields.vec.distance", "euclid"));
        tables.fromChangelogStream(
                        env.fromData(rows, ROW),
                        Schema.newBuilder()
                                .column("id", "STRING NOT NULL")
                                .column("title", "STRING")
                                .column("tag", "STRING")
                                .column("vec", "ARRAY<FLOAT>")
                                .primaryKey("id")
                                .build(),
                        ChangelogMode.upsert())
                .executeInsert("docs")
                .await(10, TimeUnit.MINUTES);
    }

    private static Row row(SearchResult hit) {
        return Row.of(
                hit.row().key().toString(),
                (double) hit.score(),
                new String(hit.row().source(), StandardCharsets.UTF_8));
    }

    private List<Row> byReader(String query, int k) throws Exception {
        return byReader(query, k, live().version());
    }

    private CollectionManifest live() throws Exception {
        return reading("docs", collection -> collection.live().manifest());
    }

    private List<Row> byReader(String query, int k, long version) throws Exception {
        return reading(
                "docs",
                collection -> {
                    try (CollectionReader reader = CollectionReader.open(collection, version)) {
                        return reader
                                .search(
                                        QueryParser.parse(query, collection.schema()),
                                        k,
                                        Projection.SOURCES)
                                .stream()
                                .map(TextSearchITCase::row)
                                .toList();
                    }
                });
    }

    private static List<String> nearest(Map<String, Row> model, float x, float y, int k) {
        List<String> order = new ArrayList<>(model.keySet());
        order.sort(
                Comparator.comparingDouble(
                                (String id) -> {
                                    Float[] vector = model.get(id).getFieldAs(3);
                                    double dx = vector[0] - x;
                                    double dy = vector[1] - y;
                                    return dx * dx + dy * dy;
                                })
                        .thenComparing(id -> id));
        return order.subList(0, k);
    }

    private static List<Row> fused(List<List<String>> rankings, int k) {
        Map<String, Double> scores = new HashMap<>();
        for (List<String> ranking : rankings) {
            for (int i = 0; i < ranking.size(); i++) {
                scores.merge(ranking.get(i), 1.0 / (61 + i), Double::sum);
            }
        }
        return scores.entrySet().stream()
                .sorted(
                        Map.Entry.<String, Double>comparingByValue(Comparator.reverseOrder())
                                .thenComparing(Map.Entry.comparingByKey()))
                .limit(k)
                .map(entry -> Row.of(entry.getKey(), entry.getValue()))
                .toList();
    }

    @Test
    void scoresAndOrderAreThoseOfTheReaderAndOfBruteForce() throws Exception {
        long seed = Long.getLong("loam.seed", 20_260_729L);
        System.out.println("TextSearchITCase loam.seed=" + seed);
        Random random = new Random(seed);
        Map<String, Row> model = write(random);
        assertThat(lines(batch, "SELECT COUNT(*) FROM docs"))
                .containsExactly("+I[" + model.size() + "]");
        for (String query : QUERIES) {
            List<Row> found =
                    rows(
                            batch,
                            "SELECT _pk, score, _source FROM TABLE(TEXT_SEARCH('docs', '"
                                    + query
                                    + "', 40))");
            assertThat(found).as(query).isNotEmpty().isEqualTo(byReader(query, 40));
            for (Row hit : found) {
                assertThat(hit.<String>getFieldAs("_source"))
                        .contains("\"" + model.get(hit.getFieldAs("_pk")).getField(1) + "\"");
            }
            float x = random.nextInt(40) - 20f;
            float y = random.nextInt(40) - 20f;
            List<String> ranking =
                    byReader(query, 100).stream().map(hit -> (String) hit.getField(0)).toList();
            assertThat(
                            rows(
                                    batch,
                                    "SELECT id, score FROM TABLE(HYBRID_SEARCH('docs', '"
                                            + query
                                            + "', 'vec', ARRAY["
                                            + x
                                            + ", "
                                            + y
                                            + "], 30))"))
                    .as(query)
                    .isEqualTo(fused(List.of(ranking, nearest(model, x, y, 100)), 30));
        }
        assertThat(
                        rows(
                                batch,
                                "SELECT id, score FROM TABLE(HYBRID_SEARCH('docs', CAST(NULL AS"
                                        + " STRING), 'vec', ARRAY[1, 2], 7))"))
                .isEqualTo(fused(List.of(nearest(model, 1, 2, 100)), 7));
    }

    @Test
    void aCallNamesTheVersionItSearches() throws Exception {
        write(
                List.of(
                        Row.of("a", "quick fox", "x", new Float[] {1f, 1f}),
                        Row.of("b", "lazy fox fox fox", "y", new Float[] {2f, 2f}),
                        Row.of("c", "dog", "x", new Float[] {3f, 3f})));
        CollectionManifest first = live();
        List<Row> before = byReader("fox", 5, first.version());
        write(
                List.of(
                        Row.of("a", "cat", "x", new Float[] {9f, 9f}),
                        Row.ofKind(RowKind.DELETE, "b", null, null, null),
                        Row.of("d", "fox", "x", new Float[] {1f, 1f})));
        assertThat(byReader("fox", 5)).isNotEqualTo(before);
        String version = "'scan.version', '" + first.version() + "'";
        String time = "'scan.timestamp-millis', '" + first.createdAtMs() + "'";
        for (String named : List.of(version, time)) {
            String found = "SELECT _pk, score, _source FROM TABLE(TEXT_SEARCH('docs', 'fox', 5";
            assertThat(rows(batch, found + ", MAP[" + named + "]))"))
                    .as(named)
                    .hasSize(2)
                    .isEqualTo(before);
            for (String filtered :
                    List.of(
                            ", 'tag:x', MAP[" + named + "]",
                            ", MAP[" + named + ", 'filter', 'tag:x']")) {
                assertThat(rows(batch, found + filtered + "))"))
                        .as(filtered)
                        .isEqualTo(
                                before.stream()
                                        .filter(hit -> hit.getField(0).equals("a"))
                                        .toList());
            }
            assertThat(
                            lines(
                                    streaming,
                                    "SELECT q.t, d.id FROM (VALUES ('fox'), ('cat')) AS q (t), LATERAL"
                                            + " TABLE(HYBRID_SEARCH('docs', q.t, 'vec', ARRAY[2, 2],"
                                            + " 1, MAP["
                                            + named
                                            + "])) AS d"))
                    .containsExactlyInAnyOrder("+I[fox, b]", "+I[cat, b]");
        }
        assertThat(
                        lines(
                                batch,
                                "SELECT id FROM TABLE(HYBRID_SEARCH('docs', 'fox', 'vec', ARRAY[2,"
                                        + " 2], 1, 'tag:x', MAP["
                                        + version
                                        + "]))"))
                .containsExactly("+I[a]");
    }

    @Test
    void theVersionOfATableHoldsForAllThatLookIntoIt() throws Exception {
        for (StreamTableEnvironment environment : List.of(batch, streaming)) {
            environment.executeSql("UNLOAD MODULE loam");
            environment.executeSql(
                    "CREATE CATALOG loam WITH ('type' = 'loam', 'warehouse' = '"
                            + directory.resolve("warehouse")
                            + "')");
            environment.executeSql("USE CATALOG loam");
        }
        batch.executeSql(
                "CREATE TABLE papers (id BIGINT, title STRING, vec ARRAY<FLOAT>,"
                        + " PRIMARY KEY (id) NOT ENFORCED)"
                        + " WITH ('fields.vec.dimension' = '1')");
        String insert = "INSERT INTO papers VALUES (1, '%s', ARRAY[CAST(%d AS FLOAT)])";
        run(batch, String.format(insert, "old fox", 1));
        long time = reading("papers", collection -> collection.live().manifest().createdAtMs());
        run(batch, String.format(insert, "new fox", 2));
        String join =
                "SELECT p.title FROM (SELECT CAST(1 AS BIGINT) AS id, PROCTIME() AS proc FROM"
                        + " (VALUES (1)) AS v (n)) AS q JOIN papers FOR SYSTEM_TIME AS OF q.proc AS p"
                        + " ON p.id = q.id";
        String text = "SELECT title FROM TABLE(TEXT_SEARCH('papers', 'fox', 1))";
        String near =
                "SELECT title FROM TABLE(VECTOR_SEARCH(TABLE papers, DESCRIPTOR(vec), ARRAY[1], 1))";
        for (Map.Entry<String, String> option :
                Map.of("scan.version", "1", "scan.timestamp-millis", Long.toString(time))
                        .entrySet()) {
            String set = "'" + option.getKey() + "' = '" + option.getValue() + "'";
            batch.executeSql("ALTER TABLE papers SET (" + set + ")");
            for (String query : List.of(join, text, near)) {
                assertThat(lines(streaming, query))
                        .as(set + ": " + query)
                        .containsExactly("+I[old fox]");
            }
            assertThat(
                            lines(
                                    batch,
                                    "SELECT title FROM TABLE(TEXT_SEARCH('papers', 'fox', 1,"
                                            + " MAP['scan.version', '2']))"))
                    .containsExactly("+I[new fox]");
            batch.executeSql("ALTER TABLE papers RESET ('" + option.getKey() + "')");
        }
        for (String query : List.of(join, text, near)) {
            assertThat(lines(streaming, query)).as(query).containsExactly("+I[new fox]");
        }
        String asOf =
                "FOR SYSTEM_TIME AS OF "
                        + timestamp(
                                Instant.ofEpochMilli(time),
                                streaming.getConfig().getLocalTimeZone());
        for (String pinned : List.of(asOf, "/*+ OPTIONS('scan.version' = '1') */")) {
            String there = "(SELECT * FROM papers " + pinned + ")";
            assertThat(lines(streaming, near.replace("TABLE papers", there)))
                    .as(there)
                    .containsExactly("+I[old fox]");
        }
        batch.executeSql("ALTER TABLE papers SET ('scan.version' = '7')");
        for (String query : List.of(join, text, near)) {
            assertThatThrownBy(() -> streaming.explainSql(query))
                    .as(query)
                    .hasStackTraceContaining("versions 1 to 2 are retained");
        }
    }

    @Test
    void everyQuestionOfAStreamFindsItsDocuments() throws Exception {
        write(
                List.of(
                        Row.of("a", "quick fox", "x", new Float[] {1f, 1f}),
                        Row.of("b", "lazy fox fox fox", "y", new Float[] {2f, 2f}),
                        Row.of("c", "dog", "x", new Float[] {3f, 3f})));
        String questions =
                "(VALUES (1, 'fox', ARRAY[3, 3]), (2, 'dog', CAST(NULL AS ARRAY<INT>)),"
                        + " (3, CAST(NULL AS STRING), CAST(NULL AS ARRAY<INT>)), (4, 'bear',"
                        + " ARRAY[0, 0])) AS q (s, t, v)";
        assertThat(
                        lines(
                                streaming,
                                "SELECT s, id, title FROM "
                                        + questions
                                        + ", LATERAL TABLE(TEXT_SEARCH('docs', q.t, 5)) AS d"))
                .containsExactlyInAnyOrder(
                        "+I[1, b, lazy fox fox fox]", "+I[1, a, quick fox]", "+I[2, c, dog]");
        assertThat(
                        lines(
                                streaming,
                                "SELECT s, d.id FROM "
                                        + questions
                                        + " LEFT JOIN LATERAL TABLE(TEXT_SEARCH('docs', q.t, 5,"
                                        + " 'tag:x')) AS d ON TRUE"))
                .containsExactlyInAnyOrder("+I[1, a]", "+I[2, c]", "+I[3, null]", "+I[4, null]");
        assertThat(
                        lines(
                                streaming,
                                "SELECT s, id FROM "
                                        + questions
                                        + ", LATERAL TABLE(HYBRID_SEARCH('docs', q.t, 'vec', q.v,"
                                        + " 1, 'tag:x')) AS d"))
                .containsExactlyInAnyOrder("+I[1, a]", "+I[2, c]", "+I[4, a]");
    }

    @Test
    void aCatalogHasTheFunctionsAndItsTablesTheirColumns() throws Exception {
        write(List.of(Row.of("a", "fox", "t", new Float[] {2f, 3f})));
        for (StreamTableEnvironment environment : List.of(batch, streaming)) {
            environment.executeSql("UNLOAD MODULE loam");
            environment.executeSql(
                    "CREATE CATALOG loam WITH ('type' = 'loam', 'warehouse' = '"
                            + directory.resolve("warehouse")
                            + "')");
            environment.executeSql("USE CATALOG loam");
        }
        batch.executeSql("CREATE DATABASE other");
        batch.executeSql(
                "CREATE TABLE other.papers (n INT, title STRING, score INT, pair ROW<a INT>,"
                        + " vec ARRAY<DOUBLE>, twice AS n * 2, id BIGINT,"
                        + " PRIMARY KEY (id) NOT ENFORCED)"
                        + " WITH ('fields.vec.dimension' = '2')");
        run(
                batch,
                "INSERT INTO other.papers VALUES"
                        + " (1, 'red fox', 7, CAST(ROW(5) AS ROW<a INT>),"
                        + " ARRAY[CAST(1 AS DOUBLE), CAST(2 AS DOUBLE)], 42),"
                        + " (2, 'fox', CAST(NULL AS INT), CAST(NULL AS ROW<a INT>),"
                        + " CAST(NULL AS ARRAY<DOUBLE>), 43)");
        List<Row> found =
                rows(batch, "SELECT * FROM TABLE(loam.other.TEXT_SEARCH('papers', '+red fox', 5))");
        assertThat(found)
                .containsExactly(
                        Row.of(
                                1,
                                "red fox",
                                7,
                                Row.of(5),
                                new Double[] {1.0, 2.0},
                                42L,
                                found.get(0).getField("score0")));
        batch.executeSql("USE other");
        streaming.executeSql("USE other");
        assertThat(
                        lines(
                                streaming,
                                "SELECT t, id, score FROM (VALUES ('fox'), ('red')) AS q (t), LATERAL"
                                        + " TABLE(HYBRID_SEARCH('papers', q.t, 'vec',"
                                        + " CAST(NULL AS ARRAY<FLOAT>), 1)) AS h"))
                .containsExactlyInAnyOrder("+I[fox, 43, null]", "+I[red, 42, 7]");
        assertThat(
                        lines(
                                streaming,
                                "SELECT q.id, p.title FROM (SELECT CAST(id AS BIGINT) AS id,"
                                        + " PROCTIME() AS proc FROM (VALUES (42), (44)) AS v (id))"
                                        + " AS q LEFT JOIN papers FOR SYSTEM_TIME AS OF q.proc AS p"
                                        + " ON p.id = q.id"))
                .containsExactlyInAnyOrder("+I[42, red fox]", "+I[44, null]");
        assertThat(
                        lines(
                                streaming,
                                "SELECT _pk, id, title, score, _source FROM"
                                        + " TABLE(VECTOR_SEARCH(TABLE loam.`default`.docs,"
                                        + " DESCRIPTOR(vec), ARRAY[2, 4], 3))"))
                .containsExactly(
                        "+I[a, a, fox, 1.0, {\"id\":\"a\",\"title\":\"fox\",\"tag\":\"t\"}]");
        batch.executeSql("ALTER TABLE papers ADD lang STRING");
        run(batch, "INSERT INTO papers (id, lang) VALUES (43, 'en')");
        assertThat(lines(batch, "SELECT id, lang FROM TABLE(TEXT_SEARCH('papers', 'fox', 1))"))
                .containsExactly("+I[43, en]");
        refused("TEXT_SEARCH('docs', 'fox', 1)", "collection \"docs\" of namespace \"other\"");
    }

    @Test
    void whatCannotBeSearchedIsRefused() throws Exception {
        write(List.of(Row.of("a", "quick fox", "x", new Float[] {1f, 1f})));
        refused("TEXT_SEARCH('nowhere', 'fox', 3)", "cannot search the collection \"nowhere\"");
        refused("TEXT_SEARCH('docs', 'no:fox', 3)", "the query no:fox");
        refused("TEXT_SEARCH('docs', 'fox', 3, 'no:x')", "the filter no:x");
        refused("TEXT_SEARCH('docs', 'fox', 0)", "argument 3, k, is a whole number from 1");
        refused(
                "TEXT_SEARCH(UPPER('docs'), 'fox', 3)",
                "argument 1, collection, is a string literal");
        refused("TEXT_SEARCH('docs', 'fox')", "No match found for function signature TEXT_SEARCH");
        refused(
                "HYBRID_SEARCH('docs', 'fox', 'no', ARRAY[1, 2], 3)",
                "no dense vector \"no\"; it has [vec]");
        refused(
                "HYBRID_SEARCH('docs', 'fox', 'vec', ARRAY[1, 2, 3], 3)",
                "the vector \"vec\" has 2 dimensions, the question has 3");
        refused(
                "HYBRID_SEARCH('docs', 'fox', 'vec', 'x', 3)",
                "argument 4, question, is an array of numbers, not CHAR(1)");
    }

    @Test
    void optionsThatCannotBeFollowedAreRefused() throws Exception {
        write(List.of(Row.of("a", "quick fox", "x", new Float[] {1f, 1f})));
        refused(
                "TEXT_SEARCH('docs', 'fox', 3, MAP['scan.version', '70'])",
                "cannot search the collection \"docs\" of namespace \"default\": version 70 of");
        refused(
                "TEXT_SEARCH('docs', 'fox', 3, MAP['scan.timestamp-millis', '70'])",
                "cannot be opened as of 1970-01-01T00:00:00.070Z");
        refused(
                "TEXT_SEARCH('docs', 'fox', 3, MAP['scan.mode', 'full'])",
                "unknown option 'scan.mode'; a version is named by one of [scan.tag,"
                        + " scan.timestamp-millis, scan.version]");
        refused("TEXT_SEARCH('docs', 'fox', 3, MAP['scan.version', 'x'])", "scan.version");
        refused(
                "HYBRID_SEARCH('docs', 'fox', 'vec', ARRAY[1, 2], 3, 'tag:x', MAP['filter',"
                        + " 'tag:y'])",
                "the filter tag:x and the option 'filter' = 'tag:y' are two filters");
        refused("TEXT_SEARCH('docs', 'fox', 3, MAP['filter', 'no:y'])", "the filter no:y");
        refused(
                "TEXT_SEARCH('docs', 'fox', 3, MAP['filter', UPPER('x')])",
                "argument 4, options, is a MAP of string literals, not MAP<");
        refused(
                "TEXT_SEARCH('docs', 'fox', 3, 'tag:x', 'tag:y')",
                "argument 5, options, is a MAP of string literals, not CHAR(5)");
    }

    private void refused(String call, String why) {
        assertThatThrownBy(() -> lines(batch, "SELECT * FROM TABLE(" + call + ")"))
                .as(call)
                .hasStackTraceContaining(why);
    }
}
