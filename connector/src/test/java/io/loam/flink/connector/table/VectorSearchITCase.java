package io.loam.flink.connector.table;

import io.loam.store.maintain.MaintenanceOptions;
import io.loam.store.maintain.MaintenanceRound;
import io.loam.store.query.QueryParser;
import io.loam.store.read.CollectionReader;
import io.loam.store.spi.Projection;
import io.loam.store.spi.ScoredRow;
import io.loam.store.spi.SearchEffort;

import org.apache.flink.table.api.TableResult;
import org.apache.flink.types.Row;
import org.apache.flink.util.CloseableIterator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** VECTOR_SEARCH against a table. */
class VectorSearchITCase extends TableTestBase {
    private static final int DIMENSION = 3;

    private void createDocs(String... more) {
        create(
                "CREATE TABLE docs (id BIGINT, title STRING, tags ARRAY<FLOAT>, vec ARRAY<FLOAT>,"
                        + " wide ARRAY<DOUBLE>, cosine ARRAY<FLOAT>, product ARRAY<FLOAT>,"
                        + " manhattan ARRAY<FLOAT>, PRIMARY KEY (id) NOT ENFORCED)"
                        + with(
                                Stream.concat(
                                                Stream.of(
                                                        "fields.vec.dimension", "3",
                                                        "fields.vec.distance", "euclid",
                                                        "fields.cosine.dimension", "3",
                                                        "fields.product.dimension", "3",
                                                        "fields.product.distance", "dot",
                                                        "fields.manhattan.dimension", "3",
                                                        "fields.manhattan.distance", "manhattan",
                                                        "fields.wide.dimension", "2",
                                                        "fields.wide.distance", "euclid",
                                                        "fields.title.kind", "keyword",
                                                        "lookup.refresh-interval", "0 s"),
                                                Stream.of(more))
                                        .toArray(String[]::new)));
    }

    private static String array(float[] vector) {
        List<String> components = new ArrayList<>();
        for (float component : vector) {
            components.add("CAST(" + component + " AS FLOAT)");
        }
        return "ARRAY[" + String.join(", ", components) + "]";
    }

    /** By key, the vectors of a model; written, changed and partly deleted. */
    private Map<Long, float[]> write(Random random) throws Exception {
        Map<Long, float[]> model = new TreeMap<>();
        for (int round = 0; round < 3; round++) {
            List<String> rows = new ArrayList<>();
            for (long id = round * 60L; id < round * 60L + 120; id++) {
                float[] vector = new float[DIMENSION];
                for (int i = 0; i < DIMENSION; i++) {
                    vector[i] = random.nextInt(9) - 4;
                }
                model.put(id, vector);
                rows.add("(CAST(" + id + " AS BIGINT), 't" + id % 5 + "', " + array(vector) + ")");
            }
            run(
                    batch,
                    "INSERT INTO docs (id, title, vec, cosine, product, manhattan)"
                            + " SELECT id, title, v, v, v, v FROM (VALUES "
                            + String.join(", ", rows)
                            + ") AS t (id, title, v)");
        }
        return model;
    }

    private static double distance(String name, float[] a, float[] b) {
        double dot = 0;
        double normA = 0;
        double normB = 0;
        double squared = 0;
        double absolute = 0;
        for (int i = 0; i < a.length; i++) {
            dot += a[i] * b[i];
            normA += a[i] * a[i];
            normB += b[i] * b[i];
            squared += (a[i] - b[i]) * (a[i] - b[i]);
            absolute += Math.abs(a[i] - b[i]);
        }
        double norms = Math.sqrt(normA) * Math.sqrt(normB);
        return (float)
                switch (name) {
                    case "cosine" -> norms == 0 ? 1 : 1 - dot / norms;
                    case "dot" -> -dot;
                    case "euclid" -> squared;
                    default -> absolute;
                };
    }

    @Test
    void theNearestAreThoseOfBruteForce() throws Exception {
        long seed = Long.getLong("loam.seed", 20_260_728L);
        System.out.println("VectorSearchITCase loam.seed=" + seed);
        createDocs();
        Map<Long, float[]> model = write(new Random(seed));
        nearest("cosine", "cosine", true, model);
        nearest("product", "dot", false, model);
        nearest("vec", "euclid", true, model);
        nearest("manhattan", "manhattan", false, model);
    }

    @Test
    void hotGraphsFindTheSame() throws Exception {
        createDocs(
                "fields.vec.hot", "true",
                "fields.cosine.hot", "true",
                "fields.product.hot", "true",
                "fields.manhattan.hot", "true");
        Map<Long, float[]> model = write(new Random(7));
        Path work = Files.createDirectories(directory.resolve("work"));
        List<String> served =
                reading(
                        "docs",
                        collection -> {
                            new MaintenanceRound(collection, MaintenanceOptions.of("hot/1"), work)
                                    .run();
                            try (CollectionReader reader = CollectionReader.open(collection)) {
                                List<String> ways = new ArrayList<>();
                                for (String column :
                                        List.of("cosine", "product", "vec", "manhattan", "wide")) {
                                    ways.add(
                                            reader.explainNearest(
                                                    column, false, SearchEffort.DEFAULT));
                                }
                                return ways;
                            }
                        });
        assertThat(served.subList(0, 4))
                .allSatisfy(way -> assertThat(way).startsWith("hot graph of version 3 (240 "));
        assertThat(served.get(4)).isEqualTo("all rows; there is no hot graph");
        nearest("cosine", "cosine", true, model);
        nearest("product", "dot", false, model);
        nearest("vec", "euclid", true, model);
        nearest("manhattan", "manhattan", false, model);
        model.putAll(write(new Random(8)));
        nearest("cosine", "cosine", false, model);
        nearest("vec", "euclid", true, model);
    }

    private void nearest(String column, String metric, boolean async, Map<Long, float[]> model)
            throws Exception {
        float[] question = {1, -2, 3};
        List<Long> order = new ArrayList<>(model.keySet());
        order.sort(
                Comparator.comparingDouble((Long id) -> distance(metric, question, model.get(id)))
                        .thenComparing(id -> id));
        List<Row> expected =
                order.subList(0, 25).stream()
                        .map(id -> Row.of(id, distance(metric, question, model.get(id))))
                        .toList();
        String search =
                "SELECT id, score FROM TABLE(VECTOR_SEARCH(TABLE docs, DESCRIPTOR("
                        + column
                        + "), "
                        + array(question)
                        + ", 25, MAP['async', '"
                        + async
                        + "']))";
        assertThat(rows(batch, search)).isEqualTo(expected);
        assertThat(rows(streaming, search)).isEqualTo(expected);
        List<Row> byReader =
                reading(
                        "docs",
                        collection -> {
                            try (CollectionReader reader = CollectionReader.open(collection)) {
                                List<ScoredRow> hits =
                                        reader.nearest(column, question, 25, null, Projection.KEYS);
                                return hits.stream()
                                        .map(
                                                hit ->
                                                        Row.of(
                                                                hit.row().key().u64(),
                                                                (double) hit.distance()))
                                        .toList();
                            }
                        });
        assertThat(byReader).isEqualTo(expected);
    }

    @ParameterizedTest
    @CsvSource({"true", "false"})
    void everyQuestionOfAStreamFindsItsNearest(boolean async) throws Exception {
        createDocs();
        run(
                batch,
                "INSERT INTO docs (id, title, vec, wide) VALUES"
                        + " (1, 'one', ARRAY[CAST(1 AS FLOAT), CAST(0 AS FLOAT), CAST(0 AS FLOAT)],"
                        + " ARRAY[CAST(1 AS DOUBLE), CAST(1 AS DOUBLE)]),"
                        + " (2, 'two', ARRAY[CAST(2 AS FLOAT), CAST(0 AS FLOAT), CAST(0 AS FLOAT)],"
                        + " CAST(NULL AS ARRAY<DOUBLE>)),"
                        + " (3, 'none', CAST(NULL AS ARRAY<FLOAT>), CAST(NULL AS ARRAY<DOUBLE>))");
        String questions =
                "(SELECT s, CASE WHEN s < 3 THEN ARRAY[CAST(s AS FLOAT), CAST(0 AS FLOAT),"
                        + " CAST(0 AS FLOAT)] END AS v FROM questions) AS q";
        create(
                "CREATE TABLE questions (s BIGINT) WITH ('connector' = 'datagen',"
                        + " 'rows-per-second' = '1000', 'fields.s.kind' = 'sequence',"
                        + " 'fields.s.start' = '1', 'fields.s.end' = '3')");
        String search =
                "LATERAL TABLE(VECTOR_SEARCH(TABLE docs, DESCRIPTOR(vec), q.v, 2,"
                        + " MAP['async', '"
                        + async
                        + "']))";
        assertThat(lines(streaming, "SELECT s, id, title, score FROM " + questions + ", " + search))
                .containsExactlyInAnyOrder(
                        "+I[1, 1, one, 0.0]",
                        "+I[1, 2, two, 1.0]",
                        "+I[2, 2, two, 0.0]",
                        "+I[2, 1, one, 1.0]");
        assertThat(
                        lines(
                                streaming,
                                "SELECT s, id, score FROM "
                                        + questions
                                        + " LEFT JOIN "
                                        + search
                                        + " ON TRUE"))
                .containsExactlyInAnyOrder(
                        "+I[1, 1, 0.0]",
                        "+I[1, 2, 1.0]",
                        "+I[2, 2, 0.0]",
                        "+I[2, 1, 1.0]",
                        "+I[3, null, null]");
        for (String type : List.of("ARRAY[1, 3]", "ARRAY[CAST(1.0 AS FLOAT), CAST(3 AS FLOAT)]")) {
            assertThat(
                            lines(
                                    streaming,
                                    "SELECT id, score FROM TABLE(VECTOR_SEARCH(TABLE docs,"
                                            + " DESCRIPTOR(wide), "
                                            + type
                                            + ", 5, MAP['async', '"
                                            + async
                                            + "']))"))
                    .containsExactly("+I[1, 4.0]");
        }
    }

    @Test
    void aFilterLeavesTheOthersOut() throws Exception {
        createDocs();
        Map<Long, float[]> model = write(new Random(5));
        String search =
                "SELECT id, title FROM TABLE(VECTOR_SEARCH(TABLE docs, DESCRIPTOR(vec),"
                        + " ARRAY[1, 2, 3], 30, MAP['filter', 'title:t3']))";
        List<Row> found = rows(batch, search);
        assertThat(found).hasSize(30).allMatch(row -> row.getField(1).equals("t3"));
        List<Long> byReader =
                reading(
                        "docs",
                        collection -> {
                            try (CollectionReader reader = CollectionReader.open(collection)) {
                                return reader
                                        .nearest(
                                                "vec",
                                                new float[] {1, 2, 3},
                                                30,
                                                QueryParser.parse("title:t3", collection.schema()),
                                                Projection.KEYS)
                                        .stream()
                                        .map(hit -> hit.row().key().u64())
                                        .collect(Collectors.toList());
                            }
                        });
        assertThat(found.stream().map(row -> row.getField(0))).isEqualTo(byReader);
        assertThat(model).hasSize(240);
    }

    @Test
    void aNewVersionIsSearchedUnlessOneIsChosen() throws Exception {
        createDocs();
        run(batch, "INSERT INTO docs (id, vec) VALUES (1, " + array(new float[] {5, 0, 0}) + ")");
        create(
                "CREATE TABLE endless (s BIGINT) WITH ('connector' = 'datagen',"
                        + " 'rows-per-second' = '20')");
        String query =
                "SELECT newest, score FROM (SELECT v, score AS newest FROM (SELECT ARRAY[CAST(s - s"
                        + " AS FLOAT), CAST(0 AS FLOAT), CAST(0 AS FLOAT)] AS v FROM endless) AS q,"
                        + " LATERAL TABLE(VECTOR_SEARCH(TABLE docs, DESCRIPTOR(vec), q.v, 1))) AS r,"
                        + " LATERAL TABLE(VECTOR_SEARCH(TABLE docs_then, DESCRIPTOR(vec), r.v, 1))";
        create(
                "CREATE TABLE docs_then (id BIGINT, vec ARRAY<FLOAT>, PRIMARY KEY (id) NOT"
                        + " ENFORCED)"
                        + with(
                                "collection",
                                "docs",
                                "scan.version",
                                "1",
                                "fields.vec.dimension",
                                "3"));
        TableResult result = streaming.executeSql(query);
        try (CloseableIterator<Row> rows = result.collect()) {
            assertThat(rows.next()).isEqualTo(Row.of(25.0, 25.0));
            run(
                    batch,
                    "INSERT INTO docs (id, vec) VALUES (1, " + array(new float[] {3, 0, 0}) + ")");
            Row row = rows.next();
            while (row.getField(0).equals(25.0)) {
                row = rows.next();
            }
            assertThat(row).isEqualTo(Row.of(9.0, 25.0));
        }
    }

    @Test
    void whatCannotBeSearchedIsRefused() throws Exception {
        createDocs();
        run(
                batch,
                "INSERT INTO docs (id, title, vec) VALUES (1, 'x', "
                        + array(new float[] {1, 0, 0})
                        + ")");
        assertThatThrownBy(() -> lines(batch, search("tags", "ARRAY[1, 2]", "")))
                .hasStackTraceContaining(
                        "column tags is no dense vector; those are (vec, wide, cosine, product, manhattan)");
        assertThatThrownBy(() -> lines(batch, search("vec", "ARRAY[1, 2]", "")))
                .hasStackTraceContaining("the vector \"vec\" has 3 dimensions, the question has 2");
        assertThatThrownBy(() -> lines(batch, search("vec", "ARRAY[1, CAST(NULL AS INT), 3]", "")))
                .hasStackTraceContaining("has null at position 1");
        assertThatThrownBy(
                        () ->
                                lines(
                                        batch,
                                        search("vec", "ARRAY[1, 2, 3]", ", MAP['filter', 'no:x']")))
                .hasStackTraceContaining("the filter no:x");
    }

    private static String search(String column, String question, String configuration) {
        return "SELECT * FROM TABLE(VECTOR_SEARCH(TABLE docs, DESCRIPTOR("
                + column
                + "), "
                + question
                + ", 3"
                + configuration
                + "))";
    }
}
