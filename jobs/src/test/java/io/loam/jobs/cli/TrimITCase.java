package io.loam.jobs.cli;

import io.loam.codec.json.JsonValue.JsonObject;
import io.loam.jobs.broker.BrokerProcess;
import io.loam.store.WarehouseOptions;
import io.loam.store.testing.MetastoreTime;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;

import static org.assertj.core.api.Assertions.assertThat;

/** A stream is cut, and jobs and checks go on. */
class TrimITCase {
    private static final String[] SHORT = {"--keep-manifests", "0", "--retention", "1h"};

    @TempDir Path folder;

    @Test
    void theStreamIsTrimmedAndTheJobGoesOn() throws Exception {
        try (BrokerProcess broker = BrokerProcess.open(folder.resolve("kafka"))) {
            assertThat(broker.bootstrapServers()).isNotEmpty();
            loam("create", "docs", "--text", "title", "--partitions", "1").ok();
            produce("a", "b", "c");
            assertThat(loam("trim", "docs").ok().out()).contains("nothing is applied yet");
            loam("apply", "docs").ok();
            days(3);
            produce("d", "e");
            loam("apply", "docs").ok();

            List<JsonObject> first = loam("trim", with(SHORT, "docs", "--json")).ok().json();
            assertThat(LoamRun.number(first.get(0), "goes"))
                    .as("the version before was just superseded")
                    .isEqualTo(3);
            days(3);
            assertThat(LoamRun.number(dry(), "goes")).isEqualTo(2);
            assertThat(LoamRun.number(dry(), "start")).as("a dry run cuts nothing").isEqualTo(3);
            assertThat(loam("trim", with(SHORT, "docs")).ok().out())
                    .containsPattern("0 +5 +2 +0\\R")
                    .contains("the oldest version retained is ");
            assertThat(LoamRun.number(dry(), "start")).isEqualTo(5);
            assertThat(LoamRun.number(dry(), "goes")).isZero();

            produce("a", "f");
            loam("apply", "docs").ok();
            assertThat(
                            LoamRun.number(
                                    loam("describe", "docs", "--json").ok().json().get(0),
                                    "live_documents"))
                    .isEqualTo(6);
            LoamRun verified = loam("verify", "docs");
            assertThat(verified.code()).isEqualTo(Loam.OK);
            assertThat(verified.out()).contains("0 violations").contains("skipped: ");
        }
    }

    private JsonObject dry() {
        return loam("trim", with(SHORT, "docs", "--json", "--dry-run")).ok().json().get(0);
    }

    private void produce(String... keys) throws Exception {
        Path file = Files.createTempFile(folder, "lines", ".jsonl");
        Files.write(
                file,
                Stream.of(keys)
                        .map(key -> "{\"_id\":\"" + key + "\",\"title\":\"" + key + "\"}")
                        .toList());
        loam("produce", "docs", file.toString()).ok();
    }

    private void days(int days) throws SQLException {
        MetastoreTime.pass(
                WarehouseOptions.local(folder.resolve("warehouse")).effectiveMetastoreUrl(),
                Duration.ofDays(days));
    }

    private static String[] with(String[] options, String... more) {
        return Stream.concat(Stream.of(more), Stream.of(options)).toArray(String[]::new);
    }

    private LoamRun loam(String command, String... arguments) {
        return LoamRun.of(
                Stream.of(
                                Stream.of(command),
                                Stream.of(arguments),
                                Stream.of("--warehouse", folder.resolve("warehouse").toString()))
                        .flatMap(words -> words)
                        .toArray(String[]::new));
    }
}
