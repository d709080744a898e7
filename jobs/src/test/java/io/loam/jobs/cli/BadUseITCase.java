package io.loam.jobs.cli;

import io.loam.jobs.FreePort;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

import static org.assertj.core.api.Assertions.assertThat;

/** Commands that cannot do what they are told: one line that says why, and nothing left behind. */
class BadUseITCase {
    @TempDir Path folder;

    @ParameterizedTest
    @ValueSource(
            strings = {
                "produce c",
                "apply c",
                "describe",
                "describe c",
                "manifests c",
                "history c",
                "diff c 1 2",
                "get c 1",
                "search c x",
                "dead-letters c",
                "verify c"
            })
    void missingWarehouseIsNotMade(String command) throws IOException {
        LoamRun run = loam(command.split(" "));
        assertThat(run.failure())
                .isEqualTo(
                        "no warehouse at "
                                + folder.resolve("warehouse")
                                + "; name it with --warehouse, or make it with loam create");
        assertFolderHasOnly();
    }

    @ParameterizedTest
    @ValueSource(strings = {"produce c", "apply c", "describe c", "get c 1", "verify c"})
    void missingCollectionStartsNoBroker(String command) throws IOException {
        loam("create", "other", "--text", "t").ok();
        assertThat(loam(command.split(" ")).failure())
                .isEqualTo(
                        "no collection \"c\" in namespace \"default\"; make it with loam create,"
                                + " list them with loam describe");
        assertFolderHasOnly("warehouse");
    }

    @Test
    void folderWithoutMetastoreIsNoWarehouse() throws IOException {
        Files.createDirectories(folder.resolve("warehouse"));
        assertThat(loam("describe").failure()).contains("has no metastore.db");
        assertThat(folder.resolve("warehouse")).isEmptyDirectory();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "{\"fields\":[ | not a JSON object: ",
                "[] | not a JSON object: ",
                "{\"fieldz\":[]} | fieldz",
                "{\"fields\":[{\"name\":\"a\",\"kind\":\"keyword\",\"colour\":1}]} | colour",
                "{\"fields\":[{\"name\":\"a\",\"kind\":\"string\"}]} | string",
                "{\"fields\":[{\"name\":\"a\",\"kind\":7}]} | kind",
                "{\"fields\":[{\"name\":1,\"kind\":\"keyword\"}]} | name",
                "{\"fields\":{}} | fields",
                "{\"vectors\":[{\"name\":\"v\",\"dim\":\"3\"}]} | dim",
                "{\"vectors\":[{\"name\":\"v\",\"dim\":0}]} | vector \"v\": dim is 1..65536, not 0",
                "{\"version\":2} | the schema of a new collection has version 1, not 2"
            })
    void wrongSchemaFileSaysWhatIsWrong(String schema, String part) throws IOException {
        Path file = folder.resolve("schema.json");
        Files.writeString(file, schema);
        assertThat(loam("create", "c", "--schema", file.toString()).failure())
                .startsWith("schema file " + file + ": ")
                .contains(part);
        assertFolderHasOnly("schema.json");
    }

    @Test
    void createWithoutAUsableSchemaMakesNothing() throws IOException {
        Path nothing = folder.resolve("none.json");
        assertThat(loam("create", "c", "--schema", nothing.toString()).failure())
                .isEqualTo("no schema file at " + nothing);
        assertThat(loam("create", "c", "--schema", folder.toString()).failure())
                .startsWith("schema file " + folder + ": ");
        assertThat(loam("create", "c").failure()).startsWith("give the schema: --schema <file>");
        assertThat(loam("create", "c", "--schema", "x", "--text", "t").failure())
                .isEqualTo("give the schema by --schema or by flags, not both");
        assertThat(loam("create", "c", "--vector", "v").failure()).startsWith("--vector v: write");
        assertThat(loam("create", "c", "--text", "t:klingon").failure())
                .startsWith("field \"t\": no analyzer \"klingon\"");
        assertFolderHasOnly();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "attempts=none|the setting retry.attempts is a whole number, not \"none\"",
                "attempts=0|the number of attempts must be at least 1, not 0",
                "retry.first-pause-ms=0|pauses must begin with at least 1 ms",
                "tries=3|there is no setting retry.tries; there are [retry.attempts, "
            })
    void wrongRetrySaysWhatIsWrong(String option, String message) throws IOException {
        for (String command : List.of("create c --text t", "describe c", "apply c")) {
            List<String> words = new ArrayList<>(List.of(command.split(" ")));
            words.addAll(List.of("--retry", option));
            assertThat(loam(words.toArray(String[]::new)).failure()).startsWith(message);
        }
        assertFolderHasOnly();
    }

    @Test
    void rightRetryIsTaken() {
        loam("create", "c", "--text", "t", "--retry", "attempts=1").ok();
        loam("describe", "c", "--retry", "retry.attempts=2").ok();
    }

    @Test
    void createWithAWrongNameMakesNothing() throws IOException {
        assertThat(loam("create", "_c", "--text", "t").failure())
                .startsWith("a collection's name has 1..222 bytes");
        assertThat(loam("create", "c", "--text", "t", "--partitions", "0").failure())
                .isEqualTo("a collection has 1..10000 partitions, not 0");
        assertThat(loam("create", "c", "--text", "t", "-n", "a/b").failure())
                .startsWith("a namespace's name must not be empty, start with _ or hold a slash");
        assertThat(loam("create", "c", "--text", "t", "--topic", "a b").failure())
                .startsWith("a topic consists of");
        assertFolderHasOnly();
    }

    @Test
    void unwritableWarehouseIsTold() throws IOException {
        Path file = folder.resolve("file");
        Files.createFile(file);
        for (Path warehouse : List.of(file, file.resolve("below"), Path.of("/dev/null/x"))) {
            LoamRun run =
                    LoamRun.of("create", "c", "--text", "t", "--warehouse", warehouse.toString());
            assertThat(run.failure()).contains("the warehouse " + warehouse);
        }
        assertFolderHasOnly("file");
    }

    @Test
    void metastoreThatCannotBeIsToldAndNothingMade() throws IOException {
        assertThat(loam("create", "c", "--text", "t", "--metastore", "jdbc:mysql://h/d").failure())
                .contains("jdbc:mysql://h/d");
        assertThat(
                        loam(
                                        "create",
                                        "c",
                                        "--text",
                                        "t",
                                        "--metastore",
                                        "jdbc:postgresql://127.0.0.1:" + FreePort.find() + "/d",
                                        "--metastore-user",
                                        "u")
                                .failure())
                .contains("jdbc:postgresql://127.0.0.1:");
        assertFolderHasOnly();
    }

    @ParameterizedTest
    @ValueSource(strings = {"produce", "apply"})
    @Timeout(55) // Kafka's client alone would try for a minute
    void unreachableBrokersAreToldSoon(String command) throws IOException {
        loam("create", "c", "--text", "t").ok();
        Path lines = Files.createFile(folder.resolve("lines"));
        String brokers = "127.0.0.1:" + FreePort.find();
        String[] arguments =
                command.equals("produce")
                        ? new String[] {command, "c", lines.toString(), "--brokers", brokers}
                        : new String[] {command, "c", "--brokers", brokers};
        assertThat(loam(arguments).failure())
                .isEqualTo(
                        "no broker answers at "
                                + brokers
                                + "; check --brokers and that Kafka is up");
        assertFolderHasOnly("lines", "warehouse");
    }

    @Test
    void brokersThatAreNoAddressAreTold() {
        loam("create", "c", "--text", "t").ok();
        for (String command : List.of("apply", "verify")) {
            assertThat(loam(command, "c", "--brokers", "nonsense").failure())
                    .isEqualTo(
                            "Kafka cannot work with these settings, check --brokers: Invalid url"
                                    + " in bootstrap.servers: nonsense");
        }
    }

    @Test
    void wrongUsageIsExitCodeTwo() {
        LoamRun run = loam("get", "c");
        assertThat(run.code()).isEqualTo(2);
        assertThat(run.err()).contains("Missing required parameter: '<key>'");
        assertThat(LoamRun.of("frobnicate").code()).isEqualTo(2);
        LoamRun bare = LoamRun.of();
        assertThat(bare.code()).isEqualTo(2);
        assertThat(bare.err()).contains("Usage: loam");
        assertThat(LoamRun.of("--help").ok().out()).contains("create", "produce", "verify");
    }

    private void assertFolderHasOnly(String... names) throws IOException {
        try (Stream<Path> files = Files.list(folder)) {
            assertThat(files.map(path -> path.getFileName().toString()))
                    .containsExactlyInAnyOrder(names);
        }
    }

    private LoamRun loam(String... arguments) {
        return LoamRun.of(
                Stream.concat(
                                Stream.of(arguments),
                                Stream.of("--warehouse", folder.resolve("warehouse").toString()))
                        .toArray(String[]::new));
    }
}
