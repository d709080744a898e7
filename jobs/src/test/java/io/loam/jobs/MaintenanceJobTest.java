package io.loam.jobs;

import io.loam.store.Warehouse;
import io.loam.store.WarehouseOptions;

import org.apache.flink.configuration.Configuration;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.util.ParameterTool;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

class MaintenanceJobTest {
    @TempDir Path folder;

    @BeforeEach
    void makeWarehouse() throws IOException {
        Warehouse.openOrCreate(WarehouseOptions.local(folder.resolve("w"))).close();
    }

    private String build(String... more) throws IOException {
        List<String> arguments =
                new ArrayList<>(List.of("--warehouse", folder.resolve("w").toString()));
        arguments.addAll(List.of(more));
        StreamExecutionEnvironment env =
                StreamExecutionEnvironment.getExecutionEnvironment(new Configuration());
        String name =
                MaintenanceJob.build(env, ParameterTool.fromArgs(arguments.toArray(String[]::new)));
        int cleaning = (int) arguments.stream().filter(word -> word.endsWith(".interval")).count();
        assertThat(env.getStreamGraph().getStreamNodes()).hasSize(5 + 2 * cleaning);
        return name;
    }

    @Test
    void aNamespaceIsEnough() throws Exception {
        assertThat(build()).isEqualTo("loam maintain namespace default");
        assertThat(build("--once", "true", "--maintenance.merge.factor", "4"))
                .isEqualTo("loam maintain namespace default");
    }

    @Test
    void garbageAndStreamsAreLookedAfterIfToldHowOften() throws Exception {
        build(
                "--maintenance.gc.interval",
                "1h",
                "--maintenance.retention",
                "48h",
                "--maintenance.trim.interval",
                "6h",
                "--maintenance.trim.bootstrap-servers",
                "kafka:9092",
                "--kafka.security.protocol",
                "SSL");
        build("--maintenance.trim.interval", "6h", "--kafka.bootstrap.servers", "kafka:9092");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "colection|c|unknown parameter --colection; there are --collections, --metastore",
                "once|yes|--once yes is neither true nor false",
                "maintenance.interval|soon|--maintenance.interval soon does not fit: ",
                "maintenance.pace|1|unknown parameter --maintenance.pace; maintenance has --maintenance.",
                "maintenance.merge.factor|1|the merge factor must be at least 2, not 1",
                "maintenance.task-threads|0|loam.maintenance.task-threads must be at least 1, not 0",
                "maintenance.trim.interval|1h|loam.maintenance.trim.interval needs loam.maintenance.trim.bootstrap-servers",
                "maintenance.gc.grace|5min|the grace (300000 ms) must exceed the longest commit",
                "maintenance.retention|30min|superseded versions must stay for the grace",
                "namespace|none|there is no namespace \"none\"",
                "collections|c,|there is no collection \"c\" in namespace \"default\"",
                "secrets-not-sent|pin|--secrets-not-sent pin: there are [metastore-password, "
            })
    void wrongParameterIsNamed(String name, String value, String message) {
        assertThatThrownBy(() -> build("--" + name, value)).hasMessageStartingWith(message);
    }
}
