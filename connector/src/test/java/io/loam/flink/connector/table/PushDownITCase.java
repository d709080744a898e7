package io.loam.flink.connector.table;

import io.loam.codec.schema.CollectionSchema;
import io.loam.codec.schema.CollectionSchema.Field;
import io.loam.codec.schema.CollectionSchema.FieldKind;

import org.apache.flink.table.api.ExplainDetail;
import org.apache.flink.types.Row;
import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.IntStream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** What the planner leaves to the source: conditions, counts, statistics, versions. */
class PushDownITCase extends TableTestBase {
    private static final String KINDS =
            "id STRING, i INT, l BIGINT, d DOUBLE, f FLOAT, b BOOLEAN, dy DATE, t TIMESTAMP(6),"
                    + " k STRING, u STRING, late INT, ";

    /** A table whose documents are not all what this connector would write. */
    private void createKinds() throws Exception {
        String key = "PRIMARY KEY (id) NOT ENFORCED)";
        create(
                "CREATE TABLE kinds ("
                        + KINDS
                        + key
                        + with(
                                "ignore-parse-errors", "true",
                                "fields.k.kind", "keyword",
                                "fields.u.kind", "uuid",
                                "fields.late.kind", "none"));
        create(
                "CREATE TABLE texts ("
                        + KINDS.replaceAll(" [A-Z]+(\\([0-9]\\))?,", " STRING,")
                        + key
                        + with("collection", "kinds"));
        create(
                "CREATE TABLE lists (id STRING, k ARRAY<STRING>, i ARRAY<INT>, "
                        + key
                        + with("collection", "kinds"));
        run(
                batch,
                "INSERT INTO kinds SELECT CAST(n AS STRING), n, 9007199254740990 + n, n / 10.0E0,"
                        + " CAST(n / 10.0E0 AS FLOAT), MOD(n, 2) = 0,"
                        + " TIMESTAMPADD(DAY, n, DATE '2024-01-01'),"
                        + " TIMESTAMPADD(SECOND, n, TIMESTAMP '2024-01-01 00:00:00.123456'),"
                        + " CASE WHEN MOD(n, 5) = 0 THEN CAST(NULL AS STRING)"
                        + " ELSE 'k' || CAST(MOD(n, 7) AS STRING) END,"
                        + " 'F81D4FAE-7DEC-11D0-A765-00A0C91E6B' || LPAD(CAST(n AS STRING), 2, '0'),"
                        + " n FROM (VALUES "
                        + numbers(60)
                        + ") AS t(n)");
        String[] dates = {
            "2024-01-05",
            "2024/01/05",
            "1704412800000",
            "+12345-01-01T00:00:00",
            "never",
            "2024-01-05T00:00:00.0009",
            "2024-01-05T01:00:00+01:00",
            "1677-01-01",
            "2024-01-05T12:00"
        };
        List<String> rows = new ArrayList<>();
        for (int n = 0; n < dates.length; n++) {
            rows.add(
                    String.format(
                            "('x%d', '%d', '9007199254740993', '0.%d', '%d.1', 'true', '%s', '%s',"
                                    + " '%s', 'F81D4FAE7DEC11D0A76500A0C91E6B0%d', '%d')",
                            n, n, n, n, dates[n], dates[n], n == 3 ? "[\"k1\"]" : "k" + n, n, n));
        }
        run(batch, "INSERT INTO texts VALUES " + String.join(", ", rows));
        run(
                batch,
                "INSERT INTO lists VALUES ('y0', ARRAY['k1', 'k2'], ARRAY[1, 2]),"
                        + " ('y1', ARRAY['k1'], ARRAY[1])");
        addLateField();
        run(batch, "INSERT INTO kinds (id, late, k) VALUES ('z0', 7, 'k1'), ('z1', 8, 'z')");
        // The document before is in a split still, but deleted.
        run(batch, "INSERT INTO kinds (id, i) VALUES ('17', 1)");
    }

    private static String numbers(int count) {
        return String.join(", ", IntStream.range(0, count).mapToObj(n -> "(" + n + ")").toList());
    }

    /** Splits that are there do not have the field. */
    private void addLateField() throws IOException {
        reading(
                "kinds",
                collection -> {
                    CollectionSchema schema = collection.schema();
                    List<Field> fields = new ArrayList<>(schema.fields());
                    fields.add(new Field("late", "late", new FieldKind.I64(), true, true, false));
                    return collection
                            .metastore()
                            .updateSchema(
                                    collection.info().id(),
                                    schema.version(),
                                    new CollectionSchema(
                                            schema.version() + 1,
                                            fields,
                                            schema.vectors(),
                                            schema.sparseVectors(),
                                            schema.dynamic(),
                                            schema.maxFields(),
                                            schema.annotations()));
                });
    }

    @Test
    void noRowIsLostByTheIndex() throws Exception {
        createKinds();
        long seed = Long.getLong("loam.seed", 20_261_130L);
        System.out.println("conditions: -Dloam.seed=" + seed);
        List<String> conditions = conditions(new Random(seed));
        List<Row> truth =
                rows(batch, "SELECT id, " + String.join(", ", conditions) + " FROM kinds");
        assertThat(truth).hasSize(73);
        for (int i = 0; i < conditions.size(); i++) {
            Set<String> expected = new TreeSet<>();
            for (Row row : truth) {
                if (Boolean.TRUE.equals(row.getField(i + 1))) {
                    expected.add((String) row.getField(0));
                }
            }
            String query = "SELECT id FROM kinds WHERE " + conditions.get(i);
            assertThat(batch.explainSql(query))
                    .as(query)
                    .contains("filter=[")
                    .doesNotContain("filter=[]");
            Set<String> found = new TreeSet<>();
            rows(batch, query).forEach(row -> found.add((String) row.getField(0)));
            assertThat(found).as(query).isEqualTo(expected);
        }
    }

    private static List<String> conditions(Random random) {
        List<String> conditions =
                new ArrayList<>(
                        List.of(
                                "k = 'k1'",
                                "l = 9007199254740993",
                                "f = CAST(0.1 AS FLOAT)",
                                "u = 'F81D4FAE-7DEC-11D0-A765-00A0C91E6B07'",
                                "late IN (7, 8)",
                                "t > TIMESTAMP '2024-01-01 00:00:50.123455'",
                                "dy = DATE '2024-01-05' AND i BETWEEN 0 AND 9",
                                "b OR i = 1"));
        for (int n = 0; n < 8; n++) {
            String condition = leaf(random);
            if (random.nextBoolean()) {
                condition += (random.nextBoolean() ? " AND " : " OR ") + leaf(random);
            }
            conditions.add(condition);
        }
        return conditions;
    }

    private static String leaf(Random random) {
        String[] operators = {"=", "<", "<=", ">", ">="};
        String operator = operators[random.nextInt(operators.length)];
        int n = random.nextInt(60);
        switch (random.nextInt(7)) {
            case 0:
                return "i " + operator + " " + n;
            case 1:
                return "late " + operator + " " + n;
            case 2:
                return "d " + operator + " " + n / 10.0 + "E0";
            case 3:
                return "f " + operator + " CAST(" + n / 10.0 + " AS FLOAT)";
            case 4:
                return "dy " + operator + " DATE '2024-01-" + (10 + n % 20) + "'";
            case 5:
                return "t " + operator + " TIMESTAMP '2024-01-01 00:00:" + (10 + n % 50) + ".1234'";
            default:
                return random.nextBoolean() ? "NOT b" : "k IN ('k" + n % 7 + "', 'k3')";
        }
    }

    @Test
    void aKeyIsLookedUp() throws Exception {
        create("CREATE TABLE docs (id BIGINT, n INT, PRIMARY KEY (id) NOT ENFORCED)" + with());
        run(
                batch,
                "INSERT INTO docs SELECT n, CAST(n AS INT) FROM (VALUES "
                        + numbers(50)
                        + ") AS t(n)");
        run(batch, "INSERT INTO docs VALUES (7, 70), (-1, 1)");
        String one = "SELECT * FROM docs WHERE id = 7";
        assertThat(batch.explainSql(one)).contains("filter=[=(id, 7");
        assertThat(lines(batch, one)).containsExactly("+I[7, 70]");
        assertThat(lines(batch, "SELECT * FROM docs WHERE id IN (3, 7, -1, 99) AND n < 70"))
                .containsExactlyInAnyOrder("+I[3, 3]", "+I[-1, 1]");
        assertThat(lines(batch, "SELECT * FROM docs WHERE id = 3 AND id = 4")).isEmpty();
        create(
                "CREATE TABLE pairs (a STRING, b INT, n INT, PRIMARY KEY (a, b) NOT ENFORCED)"
                        + with());
        run(batch, "INSERT INTO pairs VALUES ('x', 1, 1), ('x', 2, 2)");
        assertThat(lines(batch, "SELECT n FROM pairs WHERE a = 'x' AND b = 2"))
                .containsExactly("+I[2]");
    }

    @Test
    void rowsAreCountedByTheManifest() throws Exception {
        create("CREATE TABLE docs (id STRING, n INT, PRIMARY KEY (id) NOT ENFORCED)" + with());
        run(batch, "INSERT INTO docs VALUES ('a', 1), ('b', 2), ('c', 3)");
        run(batch, "INSERT INTO docs VALUES ('a', 10)");
        String count = "SELECT COUNT(*) FROM docs";
        assertThat(batch.explainSql(count)).contains("aggFunctions=[Count1AggFunction()]");
        assertThat(lines(batch, count)).containsExactly("+I[3]");
        assertThat(lines(batch, count + " /*+ OPTIONS('scan.version' = '1') */"))
                .containsExactly("+I[3]");
        assertThat(lines(batch, "SELECT COUNT(*) FROM docs WHERE n > 2")).containsExactly("+I[2]");
        assertThat(lines(batch, "SELECT n > 2, COUNT(*) FROM docs GROUP BY n > 2 ORDER BY 2"))
                .containsExactly("+I[false, 1]", "+I[true, 2]");
        assertThat(lines(streaming, count)).last().isEqualTo("+U[3]");
        assertThat(batch.explainSql("SELECT * FROM docs", ExplainDetail.ESTIMATED_COST))
                .contains("rowcount = 3.0");
    }

    @Test
    void theVersionOfATimeIsRead() throws Exception {
        create("CREATE TABLE docs (id STRING, n INT, PRIMARY KEY (id) NOT ENFORCED)" + with());
        run(batch, "INSERT INTO docs VALUES ('a', 1)");
        long first = committedAt();
        waitUntilAfter(first);
        run(batch, "INSERT INTO docs VALUES ('a', 2)");
        long second = committedAt();
        assertThat(second).isGreaterThan(first);
        assertThat(lines(batch, at(first))).containsExactly("+I[1]");
        assertThat(lines(batch, at(second - 1))).containsExactly("+I[1]");
        assertThat(lines(batch, at(second))).containsExactly("+I[2]");
        assertThatThrownBy(() -> lines(batch, at(first - 1)))
                .hasStackTraceContaining("the oldest version retained is 1 of ");
    }

    private long committedAt() throws IOException {
        return reading("docs", collection -> collection.live().manifest().createdAtMs());
    }

    /** The next commit is of another millisecond. */
    private void waitUntilAfter(long millis) throws Exception {
        while (reading("docs", collection -> collection.metastore().clockMs()) <= millis) {
            Thread.sleep(1);
        }
    }

    private static String at(long millis) {
        return "SELECT n FROM docs /*+ OPTIONS('scan.timestamp-millis' = '" + millis + "') */";
    }

    @Test
    void filesWithoutRowsAreNotRead() throws Exception {
        create("CREATE TABLE docs (id STRING, n INT, PRIMARY KEY (id) NOT ENFORCED)" + with());
        run(batch, "INSERT INTO docs VALUES ('a', 1)");
        run(batch, "INSERT INTO docs VALUES ('b', 2)");
        run(batch, "INSERT INTO docs VALUES ('a', 10)");
        Set<Integer> files =
                reading(
                        "docs",
                        collection ->
                                new HashSet<>(
                                        collection.rows().files(collection.live().manifest())));
        assertThat(files).hasSize(2);
        assertThat(lines(batch, "SELECT id, n FROM docs"))
                .containsExactlyInAnyOrder("+I[a, 10]", "+I[b, 2]");
    }
}
