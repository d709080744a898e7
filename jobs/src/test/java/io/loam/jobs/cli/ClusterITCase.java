package io.loam.jobs.cli;

import io.loam.codec.json.JsonValue.JsonArray;
import io.loam.codec.json.JsonValue.JsonObject;
import io.loam.jobs.broker.BrokerProcess;
import io.loam.s3.testing.S3Server;
import io.loam.s3.testing.S3Servers;
import io.loam.store.testing.TestPostgres;

import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AdminClientConfig;
import org.apache.kafka.clients.admin.AlterConfigOp;
import org.apache.kafka.clients.admin.ConfigEntry;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.config.TopicConfig;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.MethodOrderer.OrderAnnotation;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.IntFunction;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import static io.loam.jobs.cli.LoamRun.number;
import static io.loam.jobs.cli.LoamRun.printed;
import static io.loam.jobs.cli.LoamRun.text;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * The packaged jars as separate processes: RocksDB, PostgreSQL, a broker, an S3 store, the
 * application jar through REST, a savepoint and another parallelism. The steps build on each other.
 */
@TestMethodOrder(OrderAnnotation.class)
@Timeout(value = 900, unit = SECONDS)
class ClusterITCase {
    private static final int DOCUMENTS = 2_000;

    /** A fraction of what config.yaml gives; the tests of a build share a machine. */
    private static final List<String> SMALL =
            List.of(
                    "taskmanager.memory.task.heap.size=384m",
                    "taskmanager.memory.task.off-heap.size=384m",
                    "taskmanager.memory.managed.size=128m",
                    "taskmanager.memory.network.min=64m",
                    "taskmanager.memory.network.max=64m",
                    "jobmanager.memory.heap.size=384m",
                    "metrics.reporter.prometheus.port=39249-39449");

    @TempDir static Path folder;

    private static S3Server s3;
    private static String bucket;
    private static BrokerProcess broker;
    private static EmbeddedPostgres postgres;
    private static String home;
    private static JsonObject started;
    private static String savepoint;
    private static String restored;

    @BeforeAll
    static void start() throws Exception {
        home = System.setProperty("loam.home", System.getProperty("loam.root"));
        s3 = S3Servers.s3Proxy();
        bucket = S3Servers.newBucket(s3);
        broker = BrokerProcess.open(folder.resolve("kafka"));
        postgres = TestPostgres.builder().start();
        started = cluster("start", startOptions()).ok().json().get(0);
        loam("create", "docs", "--text", "title", "--field", "n:i64", "--partitions", "4").ok();
    }

    @AfterAll
    static void stop() throws IOException {
        cluster("stop", List.of("--grace", "5"));
        broker.close();
        postgres.close();
        if (home == null) {
            System.clearProperty("loam.home");
        } else {
            System.setProperty("loam.home", home);
        }
    }

    @Test
    @Order(1)
    void startWaitsForEverything() {
        assertThat(printed(started, "complete")).isEqualTo("true");
        assertThat(number(started, "task_managers")).isEqualTo(2);
        assertThat(number(started, "free_slots")).isEqualTo(4);
        assertThat(processes(started))
                .extracting(process -> text(process, "name"))
                .containsExactly("jobmanager", "taskmanager-1", "taskmanager-2", "sql-gateway");
        assertThat(pids(started)).allMatch(pid -> ProcessHandle.of(pid).isPresent());
    }

    @Test
    @Order(2)
    void startingAgainChangesNothing() {
        JsonObject again = cluster("start", List.of()).ok().json().get(0);
        assertThat(pids(again)).isEqualTo(pids(started));
        assertThat(cluster("start", List.of("--slots", "3")).failure())
                .contains("runs with --slots 2, not 3");
    }

    @Test
    @Order(3)
    void anotherClusterIsToldThatThePortIsTaken() {
        String url = text(started, "rest_url");
        String port = url.substring(url.lastIndexOf(':') + 1);
        Path other = folder.resolve("other");
        LoamRun run =
                LoamRun.of("cluster", "start", "--run-dir", other.toString(), "--rest-port", port);
        assertThat(run.failure())
                .startsWith("cannot listen at 127.0.0.1:" + port)
                .endsWith("end what uses the port, or choose another with --rest-port");
        assertThat(LoamRun.of("cluster", "stop", "--run-dir", other.toString()).ok().out())
                .isEqualToIgnoringNewLines("no cluster runs in " + other);
    }

    @Test
    @Order(4)
    void gatewayAnswersAQuery() throws Exception {
        SqlGatewayClient gateway = new SqlGatewayClient(text(started, "gateway_url"));
        assertThat(gateway.firstRow("SELECT 1")).isEqualTo("[1]");
    }

    @Test
    @Order(5)
    void wrongSubmissionsAreRefusedWithTheReason() {
        assertThat(submit("--sink", "unit.rows=1").failure())
                .contains("refuses: unknown parameter --sink.unit.rows");
        assertThat(submit("--from", folder.resolve("nowhere").toString()).failure())
                .contains("Cannot find checkpoint or savepoint")
                .contains("nowhere");
        assertThat(submit("--parallelism", "9", "--from", "/nowhere").err())
                .contains("the job needs 9 slots and 4 are free; it waits for more")
                .contains("Cannot find checkpoint or savepoint");
        assertThat(loam("apply", "docs", "--from", "x").failure())
                .startsWith("--from needs --cluster");
    }

    @Test
    @Order(5)
    void secretsAreTheClustersUnlessTheyAreSent() throws Exception {
        List<String> given = List.of("--metastore-user", "postgres", "--metastore-password", "pw");
        assertThat(submit(given.toArray(String[]::new)).failure())
                .contains(
                        "refuses: metastore-password of --metastore-user was not sent with the job")
                .contains("set loam.metastore-password in Flink's configuration");
        List<String> sent = new ArrayList<>(given);
        sent.addAll(List.of("--send-secrets", "--sink", "unit.rows=1"));
        assertThat(submit(sent.toArray(String[]::new)).failure())
                .contains("refuses: unknown parameter --sink.unit.rows");
        assertThat(rest("/jobmanager/config"))
                .contains("loam.s3.secret-key")
                .doesNotContain(S3Server.SECRET_KEY);
        assertThat(cluster("start", List.of("--flink", "loam.s3.secret-key=x")).failure())
                .contains("runs with --flink loam.s3.secret-key another value")
                .doesNotContain(S3Server.SECRET_KEY);
    }

    private static String rest(String path) throws Exception {
        HttpRequest request =
                HttpRequest.newBuilder(URI.create(text(started, "rest_url") + path)).build();
        return HttpClient.newHttpClient()
                .send(request, HttpResponse.BodyHandlers.ofString())
                .body();
    }

    @Test
    @Order(6)
    void jobRunsAndStopsWithASavepoint() throws Exception {
        produce(1, DOCUMENTS, n -> "{\"_id\":" + n + ",\"title\":\"first " + n + "\",\"n\":1}");
        String job = text(submit("--parallelism", "2").ok().json().get(0), "job");
        awaitDocuments(DOCUMENTS);
        LoamRun stopped = cluster("stop-job", List.of(job)).ok();
        savepoint = text(stopped.json().get(0), "savepoint");
        assertThat(savepoint).startsWith("file:" + folder.resolve("cluster/savepoints"));
        assertThat(jobState(job)).isEqualTo("FINISHED");
    }

    @Test
    @Order(7)
    void jobGoesOnFromTheSavepointAtAnotherParallelism() throws Exception {
        compressTopic();
        produce(
                DOCUMENTS / 2,
                DOCUMENTS * 2,
                n -> "{\"_id\":" + n + ",\"title\":\"second " + n + "\",\"n\":2}");
        produce(1, 100, n -> "{\"delete\":" + n + "}");
        LoamRun run = submit("--parallelism", "4", "--from", savepoint);
        assertThat(run.code()).as(run.err()).isEqualTo(Loam.OK);
        restored = text(run.json().get(0), "job");
        awaitDocuments(DOCUMENTS * 2 - 100);
        assertThat(loam("verify", "docs", "--brokers", broker.bootstrapServers()).ok().out())
                .endsWith(
                        "verified: "
                                + (DOCUMENTS * 2 - 100)
                                + " keys, 0 violations"
                                + System.lineSeparator());
        assertThat(printed(loam("get", "docs", "1500", "--json").ok().json().get(0), "source"))
                .contains("\"second 1500\"");
    }

    /** Two submissions, one copy: the libraries come from lib and not out of the job's jar. */
    @Test
    @Order(8)
    void nativeLibrariesAreLoadedOnceAJvm() throws IOException {
        for (String name : List.of("taskmanager-1", "taskmanager-2")) {
            List<String> files = files(folder.resolve("cluster/tmp").resolve(name));
            assertThat(files).filteredOn(file -> file.contains("lance_jni")).hasSize(1);
            assertThat(files).filteredOn(file -> file.contains("tantivy4java")).hasSize(1);
        }
        assertThat(files(folder.resolve("cluster/upload/flink-web-upload"))).isEmpty();
    }

    @Test
    @Order(9)
    void aKilledTaskManagerIsShownAndReplaced() throws Exception {
        long pid = pids(started).get(2);
        ProcessHandle process = ProcessHandle.of(pid).orElseThrow();
        process.destroyForcibly();
        process.onExit().get();
        LoamRun status = cluster("status", List.of());
        assertThat(status.code()).isEqualTo(Loam.FAILED);
        assertThat(processes(status.json().get(0)).get(2).members())
                .extracting(members -> members.get("alive").toString())
                .asString()
                .contains("false");
        JsonObject again = cluster("start", List.of()).ok().json().get(0);
        List<Long> expected = new ArrayList<>(pids(started));
        expected.set(2, pids(again).get(2));
        assertThat(pids(again)).isEqualTo(expected).doesNotContain(pid);
        assertThat(printed(again, "complete")).isEqualTo("true");
        started = again;
    }

    @Test
    @Order(10)
    void stopLeavesNothingBehindButTheCheckpointOfTheJob() throws IOException {
        JsonObject stopped = cluster("stop", List.of("--grace", "600")).ok().json().get(0);
        assertThat(number(stopped, "ended")).isEqualTo(4);
        JsonObject job = objects(stopped, "jobs").get(0);
        assertThat(text(job, "id")).isEqualTo(restored);
        assertThat(Path.of(URI.create(text(job, "checkpoint"))).resolve("_metadata"))
                .isRegularFile();
        assertThat(pids(started)).noneMatch(ClusterITCase::runs);
        assertThat(folder.resolve("cluster/tmp")).isEmptyDirectory();
        assertThat(folder.resolve("cluster/pids")).isEmptyDirectory();
        assertThat(number(cluster("stop", List.of()).ok().json().get(0), "ended")).isZero();
        assertThat(cluster("status", List.of()).code()).isEqualTo(Loam.FAILED);
    }

    /** An ended child of this JVM is seen until the JVM has taken note. */
    private static boolean runs(long pid) {
        return ProcessHandle.of(pid)
                .filter(
                        process ->
                                process.onExit().completeOnTimeout(null, 60, SECONDS).join()
                                        == null)
                .isPresent();
    }

    private static List<String> startOptions() {
        List<String> words = new ArrayList<>();
        words.addAll(List.of("--taskmanagers", "2", "--slots", "2"));
        for (String port : List.of("--rest-port", "--rpc-port", "--gateway-port")) {
            words.addAll(List.of(port, "0"));
        }
        for (String option : SMALL) {
            words.addAll(List.of("--flink", option));
        }
        // Jobs of the whole class find it there.
        words.addAll(List.of("--flink", "loam.s3.secret-key=" + S3Server.SECRET_KEY));
        return words;
    }

    private static LoamRun submit(String... more) {
        List<String> words = new ArrayList<>(List.of("apply", "docs", "--follow", "--json"));
        words.addAll(List.of("--cluster", text(started, "rest_url")));
        words.addAll(List.of("--brokers", broker.bootstrapServers()));
        words.addAll(List.of("--checkpoint-interval", "1s"));
        words.addAll(List.of(more));
        return loam(words.toArray(String[]::new));
    }

    private static void produce(int from, int to, IntFunction<String> line) throws IOException {
        Path file = folder.resolve("lines.json");
        Files.writeString(
                file,
                IntStream.rangeClosed(from, to).mapToObj(line).collect(Collectors.joining("\n")));
        loam("produce", "docs", file.toString(), "--quiet", "--brokers", broker.bootstrapServers())
                .ok();
    }

    /** From here on records need a native library that Kafka's client only finds in lib. */
    private static void compressTopic() throws Exception {
        JsonObject described = loam("describe", "docs", "--json").ok().json().get(0);
        ConfigResource topic =
                new ConfigResource(ConfigResource.Type.TOPIC, text(described, "topic"));
        AlterConfigOp compress =
                new AlterConfigOp(
                        new ConfigEntry(TopicConfig.COMPRESSION_TYPE_CONFIG, "zstd"),
                        AlterConfigOp.OpType.SET);
        Map<String, Object> properties =
                Map.of(AdminClientConfig.BOOTSTRAP_SERVERS_CONFIG, broker.bootstrapServers());
        try (Admin admin = Admin.create(properties)) {
            admin.incrementalAlterConfigs(Map.of(topic, List.of(compress))).all().get();
        }
    }

    private static void awaitDocuments(int count) throws InterruptedException {
        long deadline = System.nanoTime() + SECONDS.toNanos(600);
        while (true) {
            JsonObject described = loam("describe", "docs", "--json").ok().json().get(0);
            if (number(described, "live_documents") == count) {
                return;
            }
            assertThat(System.nanoTime()).as(described.toString()).isLessThan(deadline);
            Thread.sleep(200);
        }
    }

    private static String jobState(String id) {
        JsonObject status = cluster("status", List.of()).json().get(0);
        return objects(status, "jobs").stream()
                .filter(job -> text(job, "id").equals(id))
                .map(job -> text(job, "state"))
                .findFirst()
                .orElseThrow();
    }

    private static LoamRun cluster(String command, List<String> options) {
        List<String> words = new ArrayList<>(List.of("cluster", command, "--json"));
        words.addAll(List.of("--run-dir", folder.resolve("cluster").toString()));
        words.addAll(options);
        return LoamRun.of(words.toArray(String[]::new));
    }

    private static LoamRun loam(String... arguments) {
        List<String> words = new ArrayList<>(List.of(arguments));
        words.addAll(List.of("--warehouse", "s3://" + bucket + "/warehouse"));
        s3.properties().forEach((name, value) -> words.addAll(List.of("--s3", name + "=" + value)));
        words.addAll(List.of("--metastore", postgres.getJdbcUrl("postgres", "postgres")));
        return LoamRun.of(words.toArray(String[]::new));
    }

    private static List<JsonObject> processes(JsonObject status) {
        return objects(status, "processes");
    }

    private static List<Long> pids(JsonObject status) {
        return processes(status).stream().map(process -> number(process, "pid")).toList();
    }

    private static List<JsonObject> objects(JsonObject object, String name) {
        return ((JsonArray) object.members().get(name))
                .values().stream().map(JsonObject.class::cast).toList();
    }

    private static List<String> files(Path folder) throws IOException {
        try (Stream<Path> files = Files.list(folder)) {
            return files.map(file -> file.getFileName().toString()).toList();
        }
    }
}
