package io.loam.jobs.cli;

import io.loam.codec.json.JsonValue.JsonObject;
import io.loam.jobs.broker.BrokerProcess;

import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AdminClientConfig;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.config.TopicConfig;
import org.apache.kafka.common.serialization.StringSerializer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.MethodOrderer.OrderAnnotation;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

import static io.loam.jobs.cli.LoamRun.number;
import static io.loam.jobs.cli.LoamRun.text;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * The scripts of docs/examples/sql as people run them: Flink's SQL client, its gateway, a cluster
 * of separate processes, a broker. The steps build on each other.
 */
@TestMethodOrder(OrderAnnotation.class)
@Timeout(value = 900, unit = SECONDS)
class SqlClusterITCase {
    private static final Path SCRIPTS =
            Path.of(System.getProperty("loam.root"), "docs/examples/sql");

    /** A fraction of what config.yaml gives; the tests of a build share a machine. */
    private static final List<String> OPTIONS =
            List.of(
                    "taskmanager.memory.task.heap.size=384m",
                    "taskmanager.memory.task.off-heap.size=384m",
                    "taskmanager.memory.managed.size=128m",
                    "taskmanager.memory.network.min=64m",
                    "taskmanager.memory.network.max=64m",
                    "jobmanager.memory.heap.size=384m",
                    "parallelism.default=1",
                    "execution.checkpointing.interval=1s",
                    "metrics.reporter.prometheus.port=39450-39650");

    private static final int CUSTOMERS = 300;
    private static final int CHANGED = CUSTOMERS + 10;

    @TempDir static Path folder;

    private static BrokerProcess broker;
    private static String home;
    private static JsonObject started;

    @BeforeAll
    static void start() throws Exception {
        home = System.setProperty("loam.home", System.getProperty("loam.root"));
        broker = BrokerProcess.open(folder.resolve("kafka"));
        topics();
        List<String> words = new ArrayList<>(List.of("--taskmanagers", "1", "--slots", "4"));
        for (String port : List.of("--rest-port", "--rpc-port", "--gateway-port")) {
            words.addAll(List.of(port, "0"));
        }
        OPTIONS.forEach(option -> words.addAll(List.of("--flink", option)));
        started = cluster("start", words).ok().json().get(0);
    }

    private static void topics() throws Exception {
        NewTopic log = new NewTopic("shop.customers", 1, (short) 1);
        NewTopic compacted =
                new NewTopic("customers", 2, (short) 1)
                        .configs(
                                Map.of(
                                        TopicConfig.CLEANUP_POLICY_CONFIG,
                                        TopicConfig.CLEANUP_POLICY_COMPACT));
        try (Admin admin =
                Admin.create(
                        Map.of(
                                AdminClientConfig.BOOTSTRAP_SERVERS_CONFIG,
                                broker.bootstrapServers()))) {
            admin.createTopics(List.of(log, compacted)).all().get();
        }
    }

    @AfterAll
    static void stop() throws IOException {
        cluster("stop", List.of("--grace", "5"));
        broker.close();
        if (home == null) {
            System.clearProperty("loam.home");
        } else {
            System.setProperty("loam.home", home);
        }
    }

    @Test
    @Order(1)
    void generatedRowsAreLookedUp() throws Exception {
        SqlClientRun run = run("lookup");
        assertThat(run.lines()).contains("| even | 50 | item 1000 |", "| odd | 50 | item 901 |");
        verify("items", 1000);
        verify("visited", 100);
    }

    @Test
    @Order(2)
    void logOfADatabaseIsACollection() throws Exception {
        try (KafkaProducer<String, String> producer = producer()) {
            for (int id = 1; id <= CUSTOMERS; id++) {
                send(producer, id, null, customer(id, "read", "Graz"), "r");
            }
            producer.flush();
            run("debezium");
            awaitDocuments("customers", CUSTOMERS);
            change(producer);
        }
        awaitDocuments("customers", CHANGED);
        JsonObject document = loam("get", "customers", "100", "--json").ok().json().get(0);
        assertThat(LoamRun.printed(document, "source")).contains("updated 100", "Linz");
        verify("customers", CHANGED);
    }

    /** Changes of all kinds: 50 go, 100 are others, 60 come. */
    private static void change(KafkaProducer<String, String> producer) {
        for (int id = 1; id <= 50; id++) {
            send(producer, id, customer(id, "read", "Graz"), null, "d");
            producer.send(new ProducerRecord<>("shop.customers", key(id), null));
        }
        for (int id = 51; id <= 150; id++) {
            String before = customer(id, "read", "Graz");
            send(producer, id, before, customer(id, "updated", "Linz"), "u");
        }
        for (int id = CUSTOMERS + 1; id <= CUSTOMERS + 60; id++) {
            send(producer, id, null, customer(id, "created", "Wien"), "c");
        }
        producer.flush();
    }

    @Test
    @Order(3)
    void changesGoThroughATopicIntoASecondCollection() throws Exception {
        run("changes");
        awaitDocuments("customers_copy", CHANGED);
        try (KafkaProducer<String, String> producer = producer()) {
            for (int id = 251; id <= 270; id++) {
                send(producer, id, customer(id, "read", "Graz"), null, "d");
                String before = customer(id + 30, "read", "Graz");
                send(producer, id + 30, before, customer(id + 30, "moved", "Wels"), "u");
            }
        }
        awaitDocuments("customers", CHANGED - 20);
        awaitDocuments("customers_copy", CHANGED - 20);
        List<String> lines = awaitLevel();
        assertThat(lines)
                .containsSequence(
                        "| Graz | 110 |", "| Linz | 100 |", "| Wels | 20 |", "| Wien | 60 |");
        verify("customers", CHANGED - 20);
        verify("customers_copy", CHANGED - 20);
    }

    private static List<String> awaitLevel() throws Exception {
        long deadline = System.nanoTime() + SECONDS.toNanos(600);
        while (true) {
            List<String> lines = run("compare").lines();
            int header = lines.indexOf("| differences |");
            assertThat(header).as(lines.toString()).isNotNegative();
            if (lines.get(header + 2).equals("| 0 |")) {
                return lines;
            }
            assertThat(System.nanoTime()).as(lines.toString()).isLessThan(deadline);
        }
    }

    private static SqlClientRun run(String name) throws Exception {
        return SqlClientRun.of(
                folder.resolve("client").resolve(name),
                folder.resolve("cluster/conf"),
                text(started, "gateway_url"),
                Files.readString(SCRIPTS.resolve(name + ".sql")),
                Map.of(
                        "/srv/loam/warehouse",
                        folder.resolve("warehouse").toString(),
                        "localhost:9092",
                        broker.bootstrapServers()));
    }

    private static KafkaProducer<String, String> producer() {
        return new KafkaProducer<>(
                Map.of(ProducerConfig.BOOTSTRAP_SERVERS_CONFIG, broker.bootstrapServers()),
                new StringSerializer(),
                new StringSerializer());
    }

    /** One event as Debezium's connector for MySQL writes it without schemas. */
    private static void send(
            KafkaProducer<String, String> producer,
            int id,
            String before,
            String after,
            String operation) {
        String value =
                ("{\"before\":%s,\"after\":%s,\"source\":{\"version\":\"3.0.8.Final\","
                                + "\"connector\":\"mysql\",\"name\":\"shop\",\"ts_ms\":1700000000000,"
                                + "\"snapshot\":\"%s\",\"db\":\"shop\",\"table\":\"customers\","
                                + "\"server_id\":223344,\"file\":\"mysql-bin.000003\",\"pos\":%d},"
                                + "\"op\":\"%s\",\"ts_ms\":1700000000001,\"transaction\":null}")
                        .formatted(before, after, operation.equals("r"), 1000 + id, operation);
        producer.send(new ProducerRecord<>("shop.customers", key(id), value));
    }

    private static String key(int id) {
        return "{\"id\":" + id + "}";
    }

    private static String customer(int id, String name, String city) {
        return "{\"id\":%d,\"name\":\"%s %d\",\"city\":\"%s\"}".formatted(id, name, id, city);
    }

    private static void awaitDocuments(String collection, int count) throws InterruptedException {
        long deadline = System.nanoTime() + SECONDS.toNanos(600);
        while (true) {
            LoamRun described = loam("describe", collection, "--json");
            if (described.code() == Loam.OK
                    && number(described.json().get(0), "live_documents") == count) {
                return;
            }
            assertThat(System.nanoTime()).as(described.toString()).isLessThan(deadline);
            Thread.sleep(200);
        }
    }

    private static void verify(String collection, int keys) {
        assertThat(loam("verify", collection).ok().out().strip())
                .endsWith("verified: " + keys + " keys, 0 violations");
    }

    private static LoamRun cluster(String command, List<String> options) {
        List<String> words = new ArrayList<>(List.of("cluster", command, "--json"));
        words.addAll(List.of("--run-dir", folder.resolve("cluster").toString()));
        words.addAll(options);
        return LoamRun.of(words.toArray(String[]::new));
    }

    private static LoamRun loam(String... arguments) {
        List<String> words = new ArrayList<>(List.of(arguments));
        words.addAll(List.of("--warehouse", folder.resolve("warehouse").toString()));
        return LoamRun.of(words.toArray(String[]::new));
    }
}
