package io.loam.jobs;

import org.apache.flink.configuration.Configuration;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.util.ParameterTool;
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

class ApplyCollectionJobTest {
    @TempDir Path folder;

    @Test
    void unknownParameterListsTheKnownOnes() {
        assertThatThrownBy(() -> build("--colection", "x"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageStartingWith(
                        "unknown parameter --colection; there are --accept-topic, --bootstrap-servers")
                .hasMessageEndingWith(
                        "--warehouse, --kafka.<property>, --s3.<option>, --retry.<option> and"
                                + " --sink.<option>");
    }

    @ParameterizedTest
    @CsvSource({"warehouse", "collection", "bootstrap-servers"})
    void requiredParameterIsMissing(String name) {
        List<String> given = new ArrayList<>();
        for (String required : List.of("warehouse", "collection", "bootstrap-servers")) {
            if (!required.equals(name)) {
                given.addAll(List.of("--" + required, folder.resolve("w").toString()));
            }
        }
        assertThatThrownBy(() -> build(given.toArray(String[]::new)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("parameter --" + name + " is missing");
        given.add("--" + name);
        assertThatThrownBy(() -> build(given.toArray(String[]::new)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("parameter --" + name + " is missing");
    }

    @Test
    void aWarehouseInS3NeedsAMetastoreAndKnownSettings() {
        String[] place = {
            "--warehouse", "s3://bucket/w", "--collection", "c", "--bootstrap-servers", "h:1"
        };
        assertThatThrownBy(() -> build(place))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("s3://bucket/w needs a metastore");
        List<String> given = new ArrayList<>(List.of(place));
        given.addAll(List.of("--metastore", "jdbc:sqlite:" + folder.resolve("m.db")));
        given.addAll(List.of("--s3.secret-key", "hush", "--s3.path.style.access", "true"));
        assertThatThrownBy(() -> build(given.toArray(String[]::new)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("it is s3.path-style-access here")
                .hasMessageNotContaining("hush");
        given.add("--s3.region");
        assertThatThrownBy(() -> build(given.toArray(String[]::new)))
                .hasMessage("parameter --s3.region has no value");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "checkpoint-interval|soon|--checkpoint-interval soon is no time; write 10s or 500ms",
                "checkpoint-interval|1ms|--checkpoint-interval 1ms is too short; the least is 10ms",
                "bounded|yes|--bounded yes is neither true nor false",
                "source-parallelism|two|--source-parallelism two is no number above 0",
                "source-parallelism|0|--source-parallelism 0 is no number above 0",
                "retry.attempts|none|the setting retry.attempts is a whole number, not \"none\"",
                "retry.attempts|0|the number of attempts must be at least 1, not 0",
                "retry.tries|3|there is no setting retry.tries; there are [retry.attempts, ",
                "secrets-not-sent|pin|--secrets-not-sent pin: there are [metastore-password, ",
                "secrets-not-sent|s3.secret-key|s3.secret-key of --s3.access-key was not sent",
                "sink.unit.max-rows|many|--sink.unit.max-rows many does not fit: ",
                "sink.mode|DIRECT|--sink.mode DIRECT does not fit: this job applies the collection's implicit",
                "sink.unit.rows|1|unknown parameter --sink.unit.rows; the sink has --sink.batch.max-bytes, "
            })
    void wrongValueIsNamed(String name, String value, String message) {
        assertThatThrownBy(
                        () ->
                                build(
                                        "--warehouse",
                                        folder.resolve("w").toString(),
                                        "--collection",
                                        "c",
                                        "--bootstrap-servers",
                                        "127.0.0.1:1",
                                        "--" + name,
                                        value))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageStartingWith(message);
    }

    @Test
    void missingWarehouseIsNotMade() {
        Path warehouse = folder.resolve("w");
        assertThatThrownBy(
                        () ->
                                build(
                                        "--warehouse",
                                        warehouse.toString(),
                                        "--collection",
                                        "c",
                                        "--bootstrap-servers",
                                        "127.0.0.1:1"))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("there is no warehouse at " + warehouse);
        assertThat(warehouse).doesNotExist();
    }

    private static void build(String... arguments) throws IOException {
        ApplyCollectionJob.build(
                StreamExecutionEnvironment.getExecutionEnvironment(new Configuration()),
                ParameterTool.fromArgs(arguments));
    }
}
