package io.loam.jobs.cli;

import io.loam.jobs.broker.BrokerProcess;
import io.loam.s3.testing.S3Server;
import io.loam.s3.testing.S3Servers;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

import static org.assertj.core.api.Assertions.assertThat;

/** The command line on a warehouse in S3. */
class S3WarehouseITCase {
    @TempDir Path folder;
    private String warehouse;
    private S3Server server;

    @Test
    void createsProducesAppliesSearchesAndVerifies() throws Exception {
        server = S3Servers.s3Proxy();
        warehouse = "s3a://" + S3Servers.newBucket(server) + "/w";
        Path lines =
                Files.write(
                        folder.resolve("lines.jsonl"),
                        List.of(
                                "{\"_id\":1,\"title\":\"red fox\",\"_vectors\":{\"v\":[1,0]}}",
                                "{\"_id\":2,\"title\":\"red wine\",\"_vectors\":{\"v\":[0,1]}}",
                                "{\"delete\":2}"));
        try (BrokerProcess broker = BrokerProcess.open(folder.resolve("kafka"))) {
            String brokers = broker.bootstrapServers();
            assertThat(loam("create", "docs", "--text", "title", "--vector", "v:2").ok().out())
                    .startsWith("created collection docs");
            loam("produce", "docs", lines.toString(), "--brokers", brokers).ok();
            assertThat(loam("apply", "docs", "--brokers", brokers).ok().out())
                    .contains("1 live documents, 0 dead letters");
            assertThat(loam("search", "docs", "title:red").ok().out()).contains("red fox");
            assertThat(loam("get", "docs", "1").ok().out()).contains("red fox");
            assertThat(loam("verify", "docs", "--brokers", brokers).ok().out())
                    .contains("verified: 1 keys, 0 violations");
            assertThat(loam("apply", "docs", "--brokers", brokers, "--print").ok().out())
                    .contains("--warehouse " + warehouse)
                    .contains("--s3.endpoint " + server.endpoint())
                    .contains("--s3.access-key " + S3Server.ACCESS_KEY)
                    .doesNotContain("--s3.secret-key")
                    .doesNotContain(S3Server.SECRET_KEY);
        }
        assertThat(loam("describe", "docs", "--s3", "regoin=x").failure())
                .startsWith("unknown setting s3.regoin; there are s3.access-key, ");
        assertThat(LoamRun.of("describe", "docs", "--warehouse", warehouse).failure())
                .isEqualTo(
                        "the warehouse "
                                + warehouse
                                + " needs a metastore; name it with --metastore"
                                + " jdbc:postgresql://... or LOAM_METASTORE");
        assertThat(LoamRun.of("describe", "--warehouse", "/data/w", "--s3", "region=x").failure())
                .isEqualTo(
                        "the warehouse /data/w is a local directory, which has no settings such as"
                                + " s3.region");
        warehouse = "s3://no-such-bucket/w";
        assertThat(loam("create", "docs", "--text", "title").failure())
                .contains("make the bucket no-such-bucket first");
    }

    private LoamRun loam(String... arguments) {
        List<String> words = new ArrayList<>(List.of(arguments));
        words.addAll(List.of("--warehouse", warehouse));
        words.addAll(List.of("--metastore", "jdbc:sqlite:" + folder.resolve("metastore.db")));
        server.properties()
                .forEach((name, value) -> words.addAll(List.of("--s3", name + "=" + value)));
        return LoamRun.of(words.toArray(String[]::new));
    }
}
