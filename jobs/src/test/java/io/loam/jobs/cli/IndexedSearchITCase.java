package io.loam.jobs.cli;

import io.loam.jobs.broker.BrokerProcess;
import io.loam.s3.testing.S3Server;
import io.loam.s3.testing.S3Servers;
import io.loam.store.WarehouseOptions;
import io.loam.store.testing.MetastoreTime;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Random;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Side jobs by the command line, on a local disk and in S3: indexes are built and searched, splits
 * merged, rows compacted, a version tagged, garbage collected, and all of it verified.
 */
class IndexedSearchITCase {
    private static final String[] RETENTION = {"--keep-manifests", "0", "--retention", "1h"};

    private static final int DOCUMENTS = 700;
    private static final int DIM = 16;

    @TempDir Path folder;
    private final List<String> where = new ArrayList<>();
    private String metastore;
    private final Random random = new Random(20261203);

    @Test
    void onALocalDisk() throws Exception {
        where.addAll(List.of("--warehouse", folder.resolve("warehouse").toString()));
        metastore = WarehouseOptions.local(folder.resolve("warehouse")).effectiveMetastoreUrl();
        indexAndSearch("{\"type\": \"ivf_hnsw_sq\"}", "IVF_HNSW_SQ");
    }

    @Test
    void inS3() throws Exception {
        S3Server server = S3Servers.s3Proxy();
        where.addAll(List.of("--warehouse", "s3a://" + S3Servers.newBucket(server) + "/w"));
        metastore = "jdbc:sqlite:" + folder.resolve("metastore.db");
        where.addAll(List.of("--metastore", metastore));
        server.properties()
                .forEach((name, value) -> where.addAll(List.of("--s3", name + "=" + value)));
        indexAndSearch("\"auto\"", "IVF_PQ");
    }

    private void indexAndSearch(String index, String kind) throws Exception {
        Path schema =
                Files.writeString(
                        folder.resolve("schema.json"),
                        "{\"fields\": [{\"name\": \"n\", \"kind\": \"i64\"}], \"vectors\": ["
                                + "{\"name\": \"v\", \"dim\": 16, \"distance\": \"cosine\","
                                + " \"index\": "
                                + index
                                + "}]}");
        loam("create", "docs", "--schema", schema.toString()).ok();
        try (BrokerProcess broker = BrokerProcess.open(folder.resolve("kafka"))) {
            String brokers = broker.bootstrapServers();
            produce(brokers, 0, DOCUMENTS);
            assertThat(search(vector())).hasSize(10);

            String built = maintain("--merge", "enabled=false");
            assertThat(built)
                    .contains("published: index " + DOCUMENTS + " rows of", "in vec_0 (" + kind)
                    .contains("in pk_btree (BTREE)");
            assertThat(loam("history", "docs").ok().out()).contains("in vec_0 (" + kind + ")");
            requireFound();

            // Later rows, and rows that are gone.
            produce(brokers, 600, 800);
            requireFound();
            assertThat(maintain("--merge", "enabled=false"))
                    .contains("published: index 200 rows of");
            requireFound();
            assertThat(maintain("--merge", "enabled=false")).contains("nothing to do");
            assertThat(loam("verify", "docs", "--brokers", brokers).ok().out())
                    .contains("verified: 800 keys, 0 violations");
            cleanUp(brokers);
        }
    }

    private void cleanUp(String brokers) throws Exception {
        loam("tag", "create", "docs", "before").ok();
        String tagged = loam("get", "docs", "7").ok().out();
        for (int i = 0; i < 4; i++) {
            produce(brokers, 100 * i, 100 * i + 60);
        }
        assertThat(loam("get", "docs", "7").ok().out()).isNotEqualTo(tagged);
        String merged = maintain("--merge", "factor=2", "--compact", "min-small-fragments=2");
        assertThat(merged).contains("published: merge ").contains("published: compact ");
        days(3);

        String planned = gc("--dry-run");
        assertThat(planned).contains("needed by a tagged version").doesNotContain(" 0 objects of ");
        assertThat(gc("--until-done")).doesNotContain("are left for another pass");
        gc("--until-done"); // what they named goes a pass after the manifests
        assertThat(gc("--dry-run")).contains("default.docs: 0 objects of ");
        assertThat(loam("get", "docs", "7", "--tag", "before").ok().out()).isEqualTo(tagged);
        requireFound();

        loam("tag", "delete", "docs", "before").ok();
        assertThat(gc("--until-done")).contains(": a manifest that is not retained");
        assertThat(gc("--dry-run")).doesNotContain("needed by a tagged version");
        requireFound();
        assertThat(loam("verify", "docs", "--brokers", brokers).ok().out())
                .contains("verified: 800 keys, 0 violations");
    }

    private String gc(String... more) {
        List<String> words = new ArrayList<>(List.of("gc"));
        words.addAll(List.of(RETENTION));
        words.addAll(List.of(more));
        String out = loam(words.toArray(String[]::new)).ok().out();
        assertThat(out).doesNotContain("left alone", "kept whole");
        return out;
    }

    private void days(int days) throws SQLException {
        MetastoreTime.pass(metastore, Duration.ofDays(days));
    }

    private String maintain(String... more) {
        List<String> words =
                new ArrayList<>(
                        List.of(
                                "maintain",
                                "docs",
                                "--once",
                                "--index",
                                "first-rows=500",
                                "--index",
                                "delta-rows=150",
                                "--index",
                                "key-rows=500"));
        words.addAll(List.of(more));
        String out = loam(words.toArray(String[]::new)).ok().out();
        assertThat(out).doesNotContain("failed", "abandoned");
        return out;
    }

    /** Of ten searches, the index may miss some of a hundred hits. */
    private void requireFound() {
        int found = 0;
        for (int i = 0; i < 10; i++) {
            String query = vector();
            List<String> exact = search(query, "--exact");
            assertThat(exact).hasSize(10);
            found += (int) search(query).stream().filter(exact::contains).count();
        }
        assertThat(found).isGreaterThanOrEqualTo(90);
    }

    /** Hits with their distances. */
    private List<String> search(String query, String... more) {
        List<String> words =
                new ArrayList<>(List.of("search", "docs", "--vector", "v", "--values", query));
        words.addAll(List.of(more));
        return loam(words.toArray(String[]::new))
                .ok()
                .out()
                .lines()
                .skip(1)
                .map(line -> line.strip().replaceAll(" +", " "))
                .toList();
    }

    private void produce(String brokers, int from, int to) throws Exception {
        List<String> lines = new ArrayList<>();
        for (int i = from; i < to; i++) {
            lines.add(
                    "{\"_id\":" + i + ",\"n\":" + i + ",\"_vectors\":{\"v\":[" + vector() + "]}}");
        }
        Path file = Files.write(folder.resolve("lines.jsonl"), lines);
        loam("produce", "docs", file.toString(), "--brokers", brokers).ok();
        loam("apply", "docs", "--brokers", brokers).ok();
    }

    private String vector() {
        StringBuilder numbers = new StringBuilder();
        for (int i = 0; i < DIM; i++) {
            numbers.append(i == 0 ? "" : ",")
                    .append(String.format(Locale.ROOT, "%.4f", random.nextGaussian()));
        }
        return numbers.toString();
    }

    private LoamRun loam(String... arguments) {
        List<String> words = new ArrayList<>(List.of(arguments));
        words.addAll(where);
        return LoamRun.of(words.toArray(String[]::new));
    }
}
