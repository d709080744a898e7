package io.loam.flink.connector.table;

import io.loam.codec.schema.CollectionSchema;
import io.loam.codec.schema.CollectionSchema.Distance;
import io.loam.codec.schema.CollectionSchema.Dynamic;
import io.loam.codec.schema.CollectionSchema.Element;
import io.loam.codec.schema.CollectionSchema.Field;
import io.loam.codec.schema.CollectionSchema.FieldKind;
import io.loam.codec.schema.CollectionSchema.Hnsw;
import io.loam.codec.schema.CollectionSchema.Modifier;
import io.loam.codec.schema.CollectionSchema.SparseField;
import io.loam.codec.schema.CollectionSchema.Vector;
import io.loam.codec.schema.CollectionSchema.VectorIndex;
import io.loam.codec.schema.HotConfiguration;
import io.loam.store.Warehouse;
import io.loam.store.metastore.CollectionInfo;

import org.apache.flink.table.api.bridge.java.StreamTableEnvironment;
import org.apache.flink.table.catalog.ObjectPath;
import org.apache.flink.types.Row;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.time.Instant;
import java.time.ZoneId;
import java.util.List;
import java.util.Map;
import java.util.Set;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** Statements on the tables of a catalog. */
class CatalogITCase extends TableTestBase {
    private static final String DOCS =
            "CREATE TABLE docs (id STRING, title STRING COMMENT 'what it is called', n INT,"
                    + " vec ARRAY<FLOAT>, twice AS n * 2,"
                    + " v BIGINT METADATA FROM '_version' VIRTUAL,"
                    + " PRIMARY KEY (id) NOT ENFORCED) COMMENT 'all of them'"
                    + " WITH ('fields.title.analyzer' = 'english', 'fields.vec.dimension' = '2',"
                    + " 'partitions' = '2')";

    @BeforeEach
    void createCatalogs() throws Exception {
        for (StreamTableEnvironment environment : List.of(batch, streaming)) {
            run(
                    environment,
                    "CREATE CATALOG loam WITH ('type' = 'loam', 'retry.attempts' = '3',"
                            + " 'warehouse' = '"
                            + directory.resolve("warehouse")
                            + "')");
            run(environment, "USE CATALOG loam");
        }
    }

    @AfterEach
    void dropCatalogs() throws Exception {
        for (StreamTableEnvironment environment : List.of(batch, streaming)) {
            run(environment, "USE CATALOG default_catalog");
            run(environment, "DROP CATALOG loam");
        }
    }

    private void refused(String statement, String message) {
        assertThatThrownBy(() -> run(batch, statement)).hasStackTraceContaining(message);
    }

    private CollectionInfo collection(String namespace, String name) throws IOException {
        try (Warehouse opened = Warehouse.open(warehouse())) {
            return opened.metastore().findCollection(namespace, name).orElseThrow();
        }
    }

    @Test
    void databasesAreNamespaces() throws Exception {
        run(batch, "CREATE DATABASE shop");
        run(batch, "CREATE DATABASE IF NOT EXISTS shop");
        assertThat(lines(streaming, "SHOW DATABASES")).containsExactly("+I[default]", "+I[shop]");
        run(batch, "CREATE TABLE shop.docs (id BIGINT, PRIMARY KEY (id) NOT ENFORCED)");
        run(batch, "INSERT INTO shop.docs VALUES (1), (2)");
        run(batch, "USE shop");
        assertThat(lines(batch, "SELECT id FROM docs ORDER BY id"))
                .containsExactly("+I[1]", "+I[2]");
        assertThat(collection("shop", "docs").name()).isEqualTo("docs");
        refused("CREATE DATABASE shop", "Database shop already exists");
        refused("CREATE DATABASE x COMMENT 'y'", "keeps no comments and options of databases");
        refused("DROP DATABASE nowhere", "Database nowhere does not exist");
        run(batch, "USE `default`");
        refused("DROP DATABASE shop", "Database shop");
        run(batch, "USE shop");
        refused("DROP DATABASE `default` CASCADE", "the namespace default is always there");
        run(batch, "USE `default`");
        run(batch, "DROP DATABASE shop CASCADE");
        run(batch, "DROP DATABASE IF EXISTS shop");
        assertThat(lines(streaming, "SHOW DATABASES")).containsExactly("+I[default]");
        run(batch, "CREATE DATABASE shop");
        assertThat(lines(streaming, "SHOW TABLES FROM shop")).isEmpty();
        run(batch, "DROP DATABASE shop RESTRICT");
        refused("CREATE TABLE nowhere.t (id INT, PRIMARY KEY (id) NOT ENFORCED)", "nowhere");
    }

    @Test
    void aTableSurvivesItsSession() throws Exception {
        run(batch, DOCS);
        run(batch, "CREATE TABLE IF NOT EXISTS docs (other INT, PRIMARY KEY (other) NOT ENFORCED)");
        run(
                batch,
                "INSERT INTO docs VALUES ('a', 'foxes', 1, ARRAY[CAST(1 AS FLOAT), CAST(2 AS FLOAT)])");
        assertThat(lines(streaming, "SHOW TABLES")).containsExactly("+I[docs]");
        assertThat(lines(streaming, "SELECT * FROM docs"))
                .containsExactly("+I[a, foxes, 1, [1.0, 2.0], 2, 1]");
        assertThat(lines(streaming, "DESCRIBE docs"))
                .containsExactly(
                        "+I[id, STRING, false, PRI(id), null, null, null]",
                        "+I[title, STRING, true, null, null, null, what it is called]",
                        "+I[n, INT, true, null, null, null, null]",
                        "+I[vec, ARRAY<FLOAT>, true, null, null, null, null]",
                        "+I[twice, INT, true, null, AS `n` * 2, null, null]",
                        "+I[v, BIGINT, true, null, METADATA FROM '_version' VIRTUAL, null, null]");
        assertThat(lines(streaming, "SHOW CREATE CATALOG loam").get(0)).contains("retry.attempts");
        String shown = lines(streaming, "SHOW CREATE TABLE docs").get(0);
        assertThat(shown)
                .contains("COMMENT 'all of them'")
                .contains("'fields.vec.dimension' = '2'")
                .doesNotContain("warehouse")
                .doesNotContain("retry");
        String again = shown.substring("+I[".length(), shown.length() - 1).replace("docs", "copy");
        run(streaming, again);
        assertThat(lines(batch, "SHOW CREATE TABLE copy").get(0))
                .isEqualTo(shown.replace("docs", "copy"));
        CollectionInfo made = collection("default", "docs");
        assertThat(made.partitions()).isEqualTo(2);
        assertThat(made.schema().vectors()).extracting(Vector::dim).containsExactly(2);
        run(batch, "DROP TABLE docs");
        run(batch, "DROP TABLE IF EXISTS docs");
        assertThat(lines(streaming, "SHOW TABLES")).containsExactly("+I[copy]");
        refused("DROP TABLE docs", "docs");
        refused("SELECT * FROM docs", "Object 'docs' not found");
    }

    @Test
    void watermarksSurvive() throws Exception {
        run(
                batch,
                "CREATE TABLE marks (id INT, ts TIMESTAMP(3), WATERMARK FOR ts AS ts - INTERVAL '5'"
                        + " SECOND, PRIMARY KEY (id) NOT ENFORCED)");
        assertThat(lines(streaming, "SHOW CREATE TABLE marks").get(0))
                .contains("WATERMARK FOR `ts` AS `ts` - INTERVAL '5' SECOND");
        assertThat(collection("default", "marks").schema().annotations().get(TableAnnotation.KEY))
                .contains(
                        "\"watermarks\":[{\"column\":\"ts\",\"expression\":\"`ts` - INTERVAL"
                                + " '5' SECOND\"}]");
    }

    @Test
    void columnsAreAdded() throws Exception {
        run(batch, DOCS);
        run(batch, "INSERT INTO docs (id, n) VALUES ('a', 1)");
        run(
                batch,
                "ALTER TABLE docs SET ('fields.more.dimension' = '2', 'fields.tag.kind' = 'keyword',"
                        + " 'fields.never.kind' = 'keyword')");
        assertThat(lines(batch, "SHOW CREATE TABLE docs").get(0)).contains("fields.never.kind");
        run(batch, "ALTER TABLE docs RESET ('fields.never.kind')");
        run(batch, "ALTER TABLE docs ADD (tag STRING COMMENT 'new' FIRST, more ARRAY<FLOAT>)");
        run(batch, "ALTER TABLE docs MODIFY n BIGINT");
        run(
                batch,
                "INSERT INTO docs (id, tag, more, n) VALUES ('b', 'x', ARRAY[CAST(0 AS FLOAT),"
                        + " CAST(1 AS FLOAT)], 5000000000)");
        assertThat(lines(streaming, "SELECT tag, id, n, more FROM docs"))
                .containsExactlyInAnyOrder(
                        "+I[null, a, 1, null]", "+I[x, b, 5000000000, [0.0, 1.0]]");
        CollectionSchema schema = collection("default", "docs").schema();
        assertThat(schema.version()).isEqualTo(5);
        assertThat(schema.fields())
                .extracting(Field::name)
                .containsExactly("id", "title", "n", "tag");
        assertThat(schema.fields().get(3).kind()).isEqualTo(new FieldKind.Keyword());
        assertThat(schema.vectors()).extracting(Vector::name).containsExactly("vec", "more");
    }

    @Test
    void vectorsAreMadeHot() throws Exception {
        run(batch, DOCS);
        assertThat(hot("docs")).isEmpty();
        run(batch, "ALTER TABLE docs SET ('fields.vec.hot' = 'true')");
        assertThat(hot("docs")).containsExactly(0);
        run(batch, "ALTER TABLE docs RESET ('fields.vec.hot')");
        assertThat(hot("docs")).isEmpty();
        run(
                batch,
                "CREATE TABLE warm (id INT, a ARRAY<FLOAT>, b ARRAY<FLOAT>, PRIMARY KEY (id) NOT"
                        + " ENFORCED) WITH ('fields.a.dimension' = '2', 'fields.b.dimension' = '2',"
                        + " 'fields.b.hot' = 'true')");
        assertThat(hot("warm")).containsExactly(1);
        refused("ALTER TABLE docs SET ('fields.vec.hot' = 'yes')", "fields.vec.hot");
        refused("ALTER TABLE docs SET ('fields.title.hot' = 'true')", "fields.title.hot");
    }

    private Set<Integer> hot(String table) throws IOException {
        return HotConfiguration.pinned(collection("default", table).schema());
    }

    @Test
    void whatDocumentsCannotFollowIsRefused() throws Exception {
        run(batch, DOCS);
        refused("ALTER TABLE docs DROP title", "column title cannot be dropped");
        refused("ALTER TABLE docs RENAME title TO name", "column title cannot be renamed");
        refused(
                "ALTER TABLE docs MODIFY title INT",
                "column title cannot become INT, it is STRING");
        refused("ALTER TABLE docs MODIFY n SMALLINT", "column n cannot become SMALLINT, it is INT");
        refused("ALTER TABLE docs MODIFY n DOUBLE", "column n is kept as Field[name=n");
        refused("ALTER TABLE docs ADD x INT NOT NULL", "column x cannot be NOT NULL");
        refused(
                "ALTER TABLE docs ADD sparse MAP<INT, FLOAT>",
                "column sparse cannot be added: a collection has the sparse vectors it was made with");
        refused(
                "ALTER TABLE docs SET ('fields.title.analyzer' = 'simple')",
                "column title is kept as Field[name=title");
        refused("ALTER TABLE docs SET ('fields.vec.dimension' = '3')", "column vec is kept as");
        refused("ALTER TABLE docs SET ('metastore.url' = 'x')", "option metastore.url belongs");
        refused(
                "ALTER TABLE docs SET ('fields.later.analyser' = 'english')",
                "option fields.later.analyser means nothing; columns have the options kind, analyzer");
        refused("ALTER TABLE docs SET ('scan.versjon' = '1')", "scan.versjon");
        refused("ALTER TABLE docs SET ('scan.mode' = 'from-version')", "needs 'scan.version'");
        refused("ALTER TABLE docs DROP PRIMARY KEY", "a collection cannot follow this change");
        assertThat(collection("default", "docs").schema().version()).isEqualTo(1);
    }

    @Test
    void aTypeIsOnlyWidened() throws Exception {
        run(
                batch,
                "CREATE TABLE kinds (id BIGINT, d DECIMAL(4, 1), r ROW<x INT, y ARRAY<INT>>,"
                        + " m MAP<STRING, FLOAT>, f FLOAT, b VARBINARY(3), v VARCHAR(3),"
                        + " PRIMARY KEY (id, d) NOT ENFORCED)");
        refused("ALTER TABLE kinds MODIFY d DECIMAL(5, 2)", "column d cannot become DECIMAL(5, 2)");
        refused("ALTER TABLE kinds MODIFY r ROW<z INT, y ARRAY<INT>>", "column r cannot become");
        refused("ALTER TABLE kinds MODIFY r ROW<x INT, y ARRAY<DATE>>", "column r cannot become");
        refused("ALTER TABLE kinds MODIFY m MAP<STRING, INT>", "column m cannot become");
        refused("ALTER TABLE kinds MODIFY f DOUBLE NOT NULL", "column f cannot become DOUBLE NOT");
        refused("ALTER TABLE kinds MODIFY v BYTES", "column v cannot become BYTES, it is VARCHAR");
        run(
                batch,
                "INSERT INTO kinds (id, d, r, f, v) VALUES (1, 1.5, ROW(1, ARRAY[2]), 0.5, 'x')");
        run(
                batch,
                "ALTER TABLE kinds MODIFY (r ROW<x BIGINT, y ARRAY<BIGINT>>, m MAP<STRING, DOUBLE>,"
                        + " f DOUBLE, b BYTES, v STRING)");
        assertThat(lines(streaming, "SELECT id, d, r, f, v FROM kinds"))
                .containsExactly("+I[1, 1.5, +I[1, [2]], 0.5, x]");
    }

    @Test
    void aQueryThatFailsLeavesAnEmptyTable() throws Exception {
        refused(
                "CREATE TABLE numbers (PRIMARY KEY (n) NOT ENFORCED) AS"
                        + " SELECT CAST(s AS INT) AS n FROM (VALUES ('1'), ('x')) AS t(s)",
                "'x'");
        assertThat(lines(batch, "SELECT * FROM numbers")).isEmpty();
    }

    @Test
    void whatCannotBeATableIsRefused() {
        refused("CREATE TABLE t (id INT)", "needs a key: add PRIMARY KEY");
        refused(
                "CREATE TABLE t (id INT, PRIMARY KEY (id) NOT ENFORCED)"
                        + " WITH ('metastore.password' = 'x')",
                "option metastore.password belongs to the catalog");
        refused(
                "CREATE TABLE t (id INT, PRIMARY KEY (id) NOT ENFORCED)"
                        + " WITH ('connector' = 'kafka')",
                "the tables of catalog loam are collections");
        refused(
                "CREATE TABLE t (id INT, d INT, PRIMARY KEY (id, d) NOT ENFORCED)"
                        + " PARTITIONED BY (d)",
                "a collection knows no partition columns");
        refused("CREATE TABLE t (id MULTISET<INT>, PRIMARY KEY (id) NOT ENFORCED)", "column id:");
        refused(
                "CREATE TABLE _t (id INT, PRIMARY KEY (id) NOT ENFORCED)",
                "a collection's name has");
        refused(
                "CREATE TABLE t (id INT, v ARRAY<FLOAT>, PRIMARY KEY (id) NOT ENFORCED)"
                        + " WITH ('fields.w.dimension' = '3')",
                "option fields.w.dimension: table loam.default.t has no such column");
        refused("CREATE VIEW v AS SELECT 1", "keeps tables, default.v is a VIEW");
        refused(
                "CREATE CATALOG other WITH ('type' = 'loam', 'warehouse' = '"
                        + directory.resolve("warehouse")
                        + "', 'default-database' = 'nowhere')",
                "option default-database: the warehouse has no namespace \"nowhere\"");
        refused(
                "CREATE CATALOG other WITH ('type' = 'loam', 'warehouse' = 's3://bucket/x')",
                "needs a metastore");
    }

    @Test
    void aTableIsMadeOfAQuery() throws Exception {
        run(
                batch,
                "CREATE TABLE words (PRIMARY KEY (w) NOT ENFORCED) WITH ('fields.w.fast' = 'false')"
                        + " AS SELECT w, COUNT(*) AS n FROM (VALUES ('a'), ('b'), ('a')) AS t(w)"
                        + " GROUP BY w");
        assertThat(lines(batch, "SELECT * FROM words ORDER BY w"))
                .containsExactly("+I[a, 2]", "+I[b, 1]");
    }

    @Test
    void aTableIsReadAsOfATime() throws Exception {
        run(batch, "CREATE TABLE docs (id STRING, n INT, PRIMARY KEY (id) NOT ENFORCED)");
        refused(asOf(Instant.now()), "it has no version yet");
        run(batch, "INSERT INTO docs VALUES ('a', 1)");
        Instant first = committed();
        run(batch, "INSERT INTO docs VALUES ('a', 2)");
        Instant second = committed();
        assertThat(lines(batch, asOf(first))).containsExactly("+I[1]");
        assertThat(lines(batch, asOf(second.minusMillis(1)))).containsExactly("+I[1]");
        assertThat(lines(batch, asOf(second))).containsExactly("+I[2]");
        assertThat(lines(streaming, asOf(second.plusSeconds(99)))).containsExactly("+I[2]");
        refused(
                asOf(first.minusMillis(1)),
                "table default.docs failed: collection 1 cannot be opened as of "
                        + first.minusMillis(1)
                        + ": the oldest version retained is 1 of "
                        + first);
    }

    private Instant committed() throws IOException {
        return Instant.ofEpochMilli(
                reading("docs", collection -> collection.live().manifest().createdAtMs()));
    }

    private String asOf(Instant time) {
        ZoneId zone = batch.getConfig().getLocalTimeZone();
        return "SELECT n FROM docs FOR SYSTEM_TIME AS OF " + timestamp(time, zone);
    }

    @Test
    void aCollectionMadeElsewhereIsATable() throws Exception {
        CollectionSchema schema =
                new CollectionSchema(
                        1,
                        List.of(
                                new Field(
                                        "title",
                                        "title",
                                        new FieldKind.Text("english", true),
                                        true,
                                        false,
                                        false),
                                new Field(
                                        "raw", "title", new FieldKind.Keyword(), true, true, false),
                                new Field("n", "n", new FieldKind.I64(), true, true, true),
                                new Field("deep", "a.b", new FieldKind.F64(), true, true, false),
                                new Field("made", "made", new FieldKind.Date(), true, true, false),
                                new Field("any", "", new FieldKind.Json(), true, true, false)),
                        List.of(
                                new Vector(
                                        "vec",
                                        2,
                                        Distance.DOT,
                                        Element.F32,
                                        new VectorIndex.Auto(),
                                        Hnsw.DEFAULT,
                                        null),
                                new Vector(
                                        "",
                                        3,
                                        Distance.DOT,
                                        Element.F32,
                                        new VectorIndex.Auto(),
                                        Hnsw.DEFAULT,
                                        null)),
                        List.of(new SparseField("words", Modifier.IDF)),
                        Dynamic.IGNORE,
                        CollectionSchema.DEFAULT_MAX_FIELDS,
                        Map.of());
        try (Warehouse opened = Warehouse.open(warehouse())) {
            opened.metastore().createCollection("default", "docs", schema, 1, null);
        }
        assertThat(rows(batch, "DESCRIBE docs"))
                .extracting(row -> row.getField(0) + " " + row.getField(1))
                .containsExactly(
                        "_pk STRING",
                        "title STRING",
                        "n BIGINT",
                        "made TIMESTAMP_LTZ(3)",
                        "vec ARRAY<FLOAT>",
                        "words MAP<BIGINT NOT NULL, FLOAT>",
                        "_source STRING");
        run(
                batch,
                "INSERT INTO docs (_pk, title, n, vec, words) VALUES"
                        + " ('7', 'x', 1, ARRAY[CAST(1 AS FLOAT), CAST(2 AS FLOAT)],"
                        + " MAP[CAST(4294967295 AS BIGINT), CAST(1 AS FLOAT)]),"
                        + " ('\"7\"', 'y', CAST(NULL AS BIGINT), CAST(NULL AS ARRAY<FLOAT>),"
                        + " CAST(NULL AS MAP<BIGINT, FLOAT>))");
        // As another writer would have it: a table of the same collection with other types.
        run(
                batch,
                "CREATE TEMPORARY TABLE other (id BIGINT, n STRING, a ROW<b DOUBLE>, made STRING,"
                        + " PRIMARY KEY (id) NOT ENFORCED)"
                        + with("collection", "docs"));
        run(batch, "INSERT INTO other VALUES (8, 'many', ROW(1.5), '2024-02-29')");
        assertThat(rows(batch, "SELECT * FROM docs ORDER BY _pk"))
                .containsExactly(
                        Row.of("\"7\"", "y", null, null, null, null, "{\"title\":\"y\"}"),
                        Row.of(
                                "7",
                                "x",
                                1L,
                                null,
                                new Float[] {1f, 2f},
                                Map.of(4294967295L, 1f),
                                "{\"title\":\"x\",\"n\":1}"),
                        Row.of(
                                "8",
                                null,
                                null,
                                Instant.parse("2024-02-29T00:00:00Z"),
                                null,
                                null,
                                "{\"id\":8,\"n\":\"many\",\"a\":{\"b\":1.5},\"made\":\"2024-02-29\"}"));
        assertThat(lines(batch, "SELECT _pk FROM docs WHERE n = 1")).containsExactly("+I[7]");
        refused("ALTER TABLE docs ADD x INT", "it was not made by CREATE TABLE");
    }

    @Test
    void statisticsAreThoseOfTheNewestVersion() throws Exception {
        run(batch, "CREATE TABLE docs (id STRING, PRIMARY KEY (id) NOT ENFORCED)");
        ObjectPath path = new ObjectPath("default", "docs");
        assertThat(rowCount(path)).isZero();
        run(batch, "INSERT INTO docs VALUES ('a'), ('b'), ('a')");
        assertThat(rowCount(path)).isEqualTo(2);
    }

    private long rowCount(ObjectPath path) throws Exception {
        return batch.getCatalog("loam").orElseThrow().getTableStatistics(path).getRowCount();
    }
}
