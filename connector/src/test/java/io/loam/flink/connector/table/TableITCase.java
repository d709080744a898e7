package io.loam.flink.connector.table;

import io.loam.codec.key.PrimaryKey;
import io.loam.codec.manifest.CollectionManifest;
import io.loam.codec.schema.CollectionSchema;
import io.loam.codec.schema.CollectionSchema.Field;
import io.loam.codec.schema.CollectionSchema.FieldKind;
import io.loam.codec.schema.CollectionSchema.VectorIndex;
import io.loam.store.history.DeadLetters;
import io.loam.store.query.QueryParser;
import io.loam.store.read.CollectionReader;
import io.loam.store.spi.Projection;
import io.loam.store.verify.Verifier;

import org.apache.flink.types.Row;
import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.UUID;
import java.util.stream.IntStream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** Statements that write a table and read it. */
class TableITCase extends TableTestBase {
    private static final String EVERY_TYPE =
            "CREATE TABLE kinds ("
                    + "id BIGINT, s STRING, c CHAR(3), b BOOLEAN, i1 TINYINT, i2 SMALLINT, i4 INT,"
                    + " i8 BIGINT, f4 FLOAT, f8 DOUBLE, d DECIMAL(20, 4), birth DATE, t TIME(3),"
                    + " ts TIMESTAMP(9), ltz TIMESTAMP_LTZ(3), bin BYTES, arr ARRAY<STRING>,"
                    + " m MAP<STRING, INT>, r ROW<x INT, y ROW<z STRING>>,"
                    + " vec ARRAY<FLOAT>, sp MAP<INT, FLOAT>,"
                    + " sr ROW<`indices` ARRAY<BIGINT>, `values` ARRAY<DOUBLE>>,"
                    + " PRIMARY KEY (id) NOT ENFORCED)";

    private void createDocs() {
        create(
                "CREATE TABLE docs (id STRING, title STRING, n INT,"
                        + " PRIMARY KEY (id) NOT ENFORCED)"
                        + with());
    }

    private CollectionManifest live(String name) throws IOException {
        return reading(name, collection -> collection.live().manifest());
    }

    @Test
    void everyTypeComesBackAsItWent() throws Exception {
        create(EVERY_TYPE + with("fields.vec.dimension", "3", "fields.vec.distance", "euclid"));
        String values =
                "(CAST(-7 AS BIGINT), 'it''s \"ü\"', CAST('abc' AS CHAR(3)), TRUE,"
                        + " CAST(-128 AS TINYINT), CAST(32767 AS SMALLINT), -5,"
                        + " 9223372036854775807, CAST(0.1 AS FLOAT), 1.5E300,"
                        + " CAST('1234567890123456.7891' AS DECIMAL(20, 4)), DATE '1969-12-31',"
                        + " TIME '23:59:58.125', TIMESTAMP '2024-02-29 12:30:00.123456789',"
                        + " CAST(TIMESTAMP '2024-02-29 12:30:00.5' AS TIMESTAMP_LTZ(3)),"
                        + " X'00ff10', ARRAY['x', CAST(NULL AS STRING)], MAP['k', 1],"
                        + " CAST(ROW(1, ROW('z')) AS ROW<x INT, y ROW<z STRING>>),"
                        + " ARRAY[CAST(1 AS FLOAT), CAST(0.5 AS FLOAT), CAST(-2 AS FLOAT)],"
                        + " MAP[7, CAST(0.25 AS FLOAT), 3, CAST(1 AS FLOAT)],"
                        + " CAST(ROW(ARRAY[CAST(4294967295 AS BIGINT)], ARRAY[CAST(2 AS DOUBLE)])"
                        + " AS ROW<`indices` ARRAY<BIGINT>, `values` ARRAY<DOUBLE>>))";
        run(batch, "INSERT INTO kinds VALUES " + values);
        Row expected = rows(batch, "SELECT * FROM (VALUES " + values + ")").get(0);
        assertThat(rows(batch, "SELECT * FROM kinds")).containsExactly(expected);
        assertThat(rows(streaming, "SELECT * FROM kinds")).containsExactly(expected);
    }

    @Test
    void anOptionChoosesTheIndexOfAVector() throws Exception {
        create(
                "CREATE TABLE docs (id STRING, vec ARRAY<FLOAT>, PRIMARY KEY (id) NOT ENFORCED)"
                        + with("fields.vec.dimension", "2", "fields.vec.index", "ivf_hnsw_sq"));
        run(batch, "INSERT INTO docs VALUES ('a', ARRAY[CAST(1 AS FLOAT), CAST(2 AS FLOAT)])");
        VectorIndex index =
                reading("docs", collection -> collection.schema().vectors().get(0).index());
        assertThat(index).isEqualTo(new VectorIndex.IvfHnswSq(null));
    }

    @Test
    void nullsComeBackAsNulls() throws Exception {
        create(EVERY_TYPE + with("fields.vec.dimension", "3"));
        run(batch, "INSERT INTO kinds (id) VALUES (1)");
        Row row = rows(batch, "SELECT * FROM kinds").get(0);
        assertThat(row.getField(0)).isEqualTo(1L);
        for (int i = 1; i < row.getArity(); i++) {
            assertThat(row.getField(i)).isNull();
        }
    }

    @Test
    void theCollectionIsMadeForTheTable() throws Exception {
        create(
                "CREATE TABLE docs (id STRING, title STRING, tag STRING, n INT, hidden STRING,"
                        + " meta MAP<STRING, STRING>, PRIMARY KEY (id) NOT ENFORCED)"
                        + with(
                                "fields.title.analyzer", "english",
                                "fields.tag.kind", "keyword",
                                "fields.hidden.kind", "none",
                                "collection", "articles",
                                "partitions", "2"));
        run(batch, "INSERT INTO docs VALUES ('a', 'running foxes', 'x', 1, 'h', MAP['k', 'v'])");
        CollectionSchema schema = reading("articles", collection -> collection.schema());
        assertThat(schema.fields())
                .containsExactly(
                        new Field("id", "id", new FieldKind.Keyword(), true, true, false),
                        new Field(
                                "title",
                                "title",
                                new FieldKind.Text("english", true),
                                true,
                                false,
                                false),
                        new Field("tag", "tag", new FieldKind.Keyword(), true, true, false),
                        new Field("n", "n", new FieldKind.I64(), true, true, false),
                        new Field("meta", "meta", new FieldKind.Json(), true, true, false));
        int partitions = reading("articles", collection -> collection.info().partitions());
        assertThat(partitions).isEqualTo(2);
        long found =
                reading(
                        "articles",
                        collection -> {
                            try (CollectionReader reader = CollectionReader.open(collection)) {
                                return reader.count(
                                        QueryParser.parse("title:fox", collection.schema()));
                            }
                        });
        assertThat(found).isEqualTo(1);
    }

    @Test
    void anUpsertReplacesAndASelectionOfColumnsPatches() throws Exception {
        createDocs();
        run(batch, "INSERT INTO docs VALUES ('a', 'one', 1), ('b', 'two', 2), ('c', 'three', 3)");
        run(batch, "INSERT INTO docs VALUES ('a', 'eins', CAST(NULL AS INT))");
        run(batch, "INSERT INTO docs (id, n) VALUES ('b', 22), ('d', 4)");
        run(batch, "INSERT INTO docs (id, title) VALUES ('c', CAST(NULL AS STRING))");
        assertThat(lines(batch, "SELECT * FROM docs ORDER BY id"))
                .containsExactly(
                        "+I[a, eins, null]", "+I[b, two, 22]", "+I[c, null, 3]", "+I[d, null, 4]");
        assertThat(live("docs").version()).isEqualTo(4);
    }

    @Test
    void aChangelogIsFolded() throws Exception {
        createDocs();
        streaming.executeSql(
                "CREATE TABLE words (w STRING, proc AS PROCTIME()) WITH ('connector' = 'datagen',"
                        + " 'number-of-rows' = '2000', 'fields.w.length' = '1')");
        run(
                streaming,
                "INSERT INTO docs SELECT w, MAX(w), CAST(COUNT(*) AS INT) FROM words GROUP BY w");
        assertThat(lines(batch, "SELECT SUM(n), COUNT(*) FROM docs"))
                .containsExactly("+I[2000, 16]");
        List<String> violations =
                reading("docs", collection -> Verifier.verify(collection).violations());
        assertThat(violations).isEmpty();
    }

    @Test
    void columnsAreChosenAmongComputedOnes() throws Exception {
        create(
                "CREATE TABLE docs (twice AS n * 2, v BIGINT METADATA FROM '_version' VIRTUAL,"
                        + " id STRING, title STRING, three AS 3, n INT,"
                        + " PRIMARY KEY (id) NOT ENFORCED)"
                        + with());
        run(batch, "INSERT INTO docs VALUES ('a', 'one', 1)");
        run(batch, "INSERT INTO docs (n, id) VALUES (2, 'a'), (3, 'b')");
        run(batch, "INSERT INTO docs (id, title) VALUES ('b', 'two')");
        assertThat(lines(batch, "SELECT * FROM docs ORDER BY id"))
                .containsExactly("+I[4, 3, a, one, 3, 2]", "+I[6, 3, b, two, 3, 3]");
    }

    @Test
    void aVersionIsReadAsItWas() throws Exception {
        createDocs();
        run(batch, "INSERT INTO docs VALUES ('a', 'one', 1)");
        run(batch, "INSERT INTO docs VALUES ('a', 'eins', 1), ('b', 'zwei', 2)");
        assertThat(lines(batch, "SELECT title FROM docs /*+ OPTIONS('scan.version' = '1') */"))
                .containsExactly("+I[one]");
        assertThat(lines(batch, "SELECT title FROM docs ORDER BY title"))
                .containsExactly("+I[eins]", "+I[zwei]");
        assertThatThrownBy(
                        () ->
                                lines(
                                        batch,
                                        "SELECT * FROM docs /*+ OPTIONS('scan.version' = '9') */"))
                .hasStackTraceContaining("version 9");
    }

    @Test
    void metadataColumnsSayWhereARowIs() throws Exception {
        createDocs();
        create(
                "CREATE TABLE meta (id STRING, title STRING, v BIGINT METADATA FROM '_version'"
                        + " VIRTUAL, r BIGINT METADATA FROM '_rowid' VIRTUAL,"
                        + " p INT METADATA FROM '_ingest_partition' VIRTUAL,"
                        + " o BIGINT METADATA FROM '_ingest_offset' VIRTUAL,"
                        + " PRIMARY KEY (id) NOT ENFORCED)"
                        + with("collection", "docs"));
        run(batch, "INSERT INTO docs VALUES ('a', 'one', 1)");
        Row row = rows(batch, "SELECT v, title, r, p, o FROM meta").get(0);
        long rowId =
                reading(
                        "docs",
                        collection -> {
                            try (CollectionReader reader = CollectionReader.open(collection)) {
                                return reader.get(PrimaryKey.ofString("a"), Projection.KEYS)
                                        .orElseThrow()
                                        .rowId();
                            }
                        });
        assertThat(row).isEqualTo(Row.of(1L, "one", rowId, row.getField(3), row.getField(4)));
    }

    @Test
    void metadataIsReadButNotWritten() throws Exception {
        createDocs();
        run(batch, "INSERT INTO docs VALUES ('a', 'one', 1)");
        create(
                "CREATE TABLE meta (id STRING, title STRING, v BIGINT METADATA FROM '_version',"
                        + " PRIMARY KEY (id) NOT ENFORCED)"
                        + with("collection", "docs"));
        assertThat(lines(batch, "SELECT * FROM meta")).containsExactly("+I[a, one, 1]");
        for (String statement :
                List.of(
                        "INSERT INTO meta VALUES ('b', 'two', CAST(7 AS BIGINT))",
                        "UPDATE meta SET title = 'uno'",
                        "DELETE FROM meta WHERE id = 'a'")) {
            assertThatThrownBy(() -> batch.explainSql(statement))
                    .as(statement)
                    .hasStackTraceContaining(
                            "column v: table default_catalog.default_database.meta is written, and"
                                    + " a collection takes no metadata from its rows; declare the"
                                    + " column as METADATA ... VIRTUAL");
        }
        assertThat(lines(batch, "SELECT * FROM meta")).containsExactly("+I[a, one, 1]");
    }

    @Test
    void aCompositeKeyIsOneKey() throws Exception {
        create(
                "CREATE TABLE pairs (n INT, region STRING, title STRING, birth DATE,"
                        + " PRIMARY KEY (region, n, birth) NOT ENFORCED)"
                        + with());
        run(batch, "INSERT INTO pairs VALUES (1, 'eu', 'one', DATE '2024-01-01')");
        run(batch, "INSERT INTO pairs VALUES (1, 'eu', 'uno', DATE '2024-01-01')");
        run(batch, "INSERT INTO pairs VALUES (1, 'us', 'one', DATE '2024-01-01')");
        assertThat(lines(batch, "SELECT birth, title, n, region FROM pairs ORDER BY region"))
                .containsExactly("+I[2024-01-01, uno, 1, eu]", "+I[2024-01-01, one, 1, us]");
        String source =
                reading(
                        "pairs",
                        collection -> {
                            try (CollectionReader reader = CollectionReader.open(collection)) {
                                return new String(
                                        reader.get(
                                                        PrimaryKey.ofString(
                                                                "[\"eu\",1,\"2024-01-01\"]"),
                                                        Projection.ALL)
                                                .orElseThrow()
                                                .source(),
                                        StandardCharsets.UTF_8);
                            }
                        });
        assertThat(source)
                .isEqualTo(
                        "{\"n\":1,\"region\":\"eu\",\"title\":\"uno\",\"birth\":\"2024-01-01\"}");
    }

    @Test
    void theTextOfAUuidIsAKeyOfThatKind() throws Exception {
        create(
                "CREATE TABLE docs (id STRING, n INT, PRIMARY KEY (id) NOT ENFORCED)"
                        + with("fields.id.kind", "uuid"));
        UUID id = new UUID(0x123e4567e89b12d3L, 0xa456426614174000L);
        run(batch, "INSERT INTO docs VALUES ('" + id + "', 1), (UUID(), 2)");
        run(batch, "INSERT INTO docs VALUES ('" + id + "', 10)");
        assertThat(lines(batch, "SELECT * FROM docs WHERE id = '" + id + "'"))
                .containsExactly("+I[" + id + ", 10]");
        assertThat(lines(batch, "SELECT * FROM docs WHERE id = 'none'")).isEmpty();
        assertThat(lines(batch, "SELECT COUNT(*) FROM docs WHERE n > 0")).containsExactly("+I[2]");
        boolean found =
                reading(
                        "docs",
                        collection -> {
                            try (CollectionReader reader = CollectionReader.open(collection)) {
                                return reader.get(PrimaryKey.ofUuid(id), Projection.KEYS)
                                        .isPresent();
                            }
                        });
        assertThat(found).isTrue();
    }

    @Test
    void aRowThatCannotBeKeptIsADeadLetter() throws Exception {
        create(
                "CREATE TABLE docs (id STRING, f DOUBLE, vec ARRAY<FLOAT>,"
                        + " PRIMARY KEY (id) NOT ENFORCED)"
                        + with("fields.vec.dimension", "2"));
        run(
                batch,
                "INSERT INTO docs VALUES ('nan', CAST('NaN' AS DOUBLE), CAST(NULL AS ARRAY<FLOAT>)),"
                        + " ('', 1.0, CAST(NULL AS ARRAY<FLOAT>)),"
                        + " ('short', 1.0, ARRAY[CAST(1 AS FLOAT)]),"
                        + " ('good', 1.0, ARRAY[CAST(1 AS FLOAT), CAST(2 AS FLOAT)])");
        assertThat(lines(batch, "SELECT id FROM docs")).containsExactly("+I[good]");
        List<String> reasons =
                reading(
                        "docs",
                        collection ->
                                DeadLetters.read(collection).stream()
                                        .map(entry -> entry.letter().reason())
                                        .toList());
        assertThat(reasons)
                .containsExactlyInAnyOrder(
                        "undecodable: column f: JSON has no number NaN",
                        "undecodable: a string key has 1..512 bytes of UTF-8, not 0",
                        "schema: vectors.vec: expected 2 dimensions, got 1");
    }

    @Test
    void limitsAndCountsAreRight() throws Exception {
        createDocs();
        run(
                batch,
                "INSERT INTO docs SELECT CAST(n AS STRING), 't', n FROM (VALUES "
                        + String.join(
                                ", ", IntStream.range(0, 500).mapToObj(n -> "(" + n + ")").toList())
                        + ") AS t(n)");
        assertThat(lines(batch, "SELECT COUNT(*), SUM(n) FROM docs"))
                .containsExactly("+I[500, 124750]");
        assertThat(lines(batch, "SELECT n FROM docs LIMIT 7")).hasSize(7);
    }
}
