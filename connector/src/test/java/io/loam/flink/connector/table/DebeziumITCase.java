package io.loam.flink.connector.table;

import io.loam.flink.connector.SharedCluster;

import org.apache.flink.configuration.RestartStrategyOptions;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.StringSerializer;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import javax.annotation.Nullable;

import java.util.Map;
import java.util.UUID;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/**
 * The log of a PostgreSQL table as Debezium writes it to Kafka, in the forms that its REPLICA
 * IDENTITY makes, becomes a collection.
 */
class DebeziumITCase extends TableTestBase {
    private static final String COLUMNS =
            " (id BIGINT, name STRING, city STRING, PRIMARY KEY (id) NOT ENFORCED)";
    private static final String STRICT = COLUMNS.replace("name STRING", "name STRING NOT NULL");
    private static final String COPY = "INSERT INTO customers SELECT * FROM customers_log";

    private final String topic = "shop.public.customers." + UUID.randomUUID();

    @BeforeEach
    void createTopic() throws Exception {
        SharedCluster.createTopic(topic, 1);
        streaming.getConfig().set(RestartStrategyOptions.RESTART_STRATEGY, "none");
        create("CREATE TABLE customers" + COLUMNS + with());
    }

    /** A table of the topic that ends where the topic does now. */
    private void createLog(String connector, String options) {
        streaming.executeSql(
                "CREATE TABLE customers_log"
                        + COLUMNS
                        + " WITH ('connector' = '"
                        + connector
                        + "', 'topic' = '"
                        + topic
                        + "', 'properties.bootstrap.servers' = '"
                        + SharedCluster.brokers()
                        + "', 'scan.bounded.mode' = 'latest-offset', "
                        + options
                        + ")");
    }

    private void createDebeziumLog(String... options) {
        createLog(
                "kafka",
                "'scan.startup.mode' = 'earliest-offset', 'format' = 'debezium-json'"
                        + String.join("", options));
    }

    private void send(String... keysAndValues) throws Exception {
        try (KafkaProducer<String, String> sending =
                new KafkaProducer<>(
                        Map.of(ProducerConfig.BOOTSTRAP_SERVERS_CONFIG, SharedCluster.brokers()),
                        new StringSerializer(),
                        new StringSerializer())) {
            for (int i = 0; i < keysAndValues.length; i += 2) {
                sending.send(new ProducerRecord<>(topic, keysAndValues[i], keysAndValues[i + 1]));
            }
        }
    }

    private static String key(int id) {
        return "{\"id\":" + id + "}";
    }

    private static String row(int id, String name, String city) {
        return "{\"id\":%d,\"name\":\"%s\",\"city\":\"%s\"}".formatted(id, name, city);
    }

    /** One event as Debezium's connector for PostgreSQL writes it without schemas. */
    private static String event(@Nullable String before, @Nullable String after, String operation) {
        return ("{\"before\":%s,\"after\":%s,\"source\":{\"version\":\"3.0.8.Final\","
                        + "\"connector\":\"postgresql\",\"name\":\"shop\",\"ts_ms\":1700000000000,"
                        + "\"snapshot\":\"%s\",\"db\":\"shop\",\"sequence\":\"[\\\"24023119\\\","
                        + "\\\"24023128\\\"]\",\"schema\":\"public\",\"table\":\"customers\","
                        + "\"txId\":555,\"lsn\":24023128,\"xmin\":null},\"transaction\":null,"
                        + "\"op\":\"%s\",\"ts_ms\":1700000000001}")
                .formatted(before, after, operation.equals("r"), operation);
    }

    private void sendRows() throws Exception {
        send(
                key(1), event(null, row(1, "Ada", "Graz"), "r"),
                key(2), event(null, row(2, "Bob", "Linz"), "c"),
                key(3), event(null, row(3, "Eve", "Wien"), "c"));
    }

    @Test
    void wholeRowsBeforeEachChange() throws Exception {
        sendRows();
        send(
                key(1), event(row(1, "Ada", "Graz"), row(1, "Ada", "Wels"), "u"),
                key(2), event(row(2, "Bob", "Linz"), null, "d"),
                key(2), null,
                // another key: it goes, and comes as another row
                key(3), event(row(3, "Eve", "Wien"), null, "d"),
                key(3), null,
                key(4), event(null, row(4, "Eve", "Wien"), "c"));
        createDebeziumLog();
        run(streaming, COPY);
        assertCustomers("+I[1, Ada, Wels]", "+I[4, Eve, Wien]");
    }

    @Test
    void keysAloneAreEnoughForDeletions() throws Exception {
        sendRows();
        send(
                key(1), event(key(1), null, "d"),
                key(1), null,
                key(2), event("{\"id\":2,\"name\":null,\"city\":null}", null, "d"));
        createDebeziumLog();
        run(streaming, COPY);
        assertCustomers("+I[3, Eve, Wien]");
    }

    @Test
    void columnsThatCannotBeNullNeedWholeRows() throws Exception {
        sendRows();
        send(key(1), event(key(1), null, "d"));
        create("CREATE TABLE strict" + STRICT + with());
        createDebeziumLog();
        assertThatThrownBy(() -> run(streaming, COPY.replace("customers ", "strict ")))
                .hasStackTraceContaining("Column 'name' is NOT NULL");
    }

    @Test
    void anUpdateWithoutWhatWasBeforeEndsTheStatement() throws Exception {
        sendRows();
        send(key(1), event(null, row(1, "Ada", "Wels"), "u"));
        createDebeziumLog();
        assertThatThrownBy(() -> run(streaming, COPY))
                .hasStackTraceContaining("The \"before\" field of UPDATE message is null")
                .hasStackTraceContaining("REPLICA IDENTITY to FULL");
    }

    @Test
    void ignoredErrorsLoseSuchUpdates() throws Exception {
        sendRows();
        send(key(1), event(null, row(1, "Ada", "Wels"), "u"));
        createDebeziumLog(", 'debezium-json.ignore-parse-errors' = 'true'");
        run(streaming, COPY);
        assertCustomers("+I[1, Ada, Graz]", "+I[2, Bob, Linz]", "+I[3, Eve, Wien]");
    }

    @Test
    void unwrappedRowsNeedNothingBefore() throws Exception {
        send(
                key(1), row(1, "Ada", "Graz"),
                key(2), row(2, "Bob", "Linz"),
                key(1), row(1, "Ada", "Wels"),
                key(2), null,
                key(3), row(3, "Eve", "Wien"));
        createLog("upsert-kafka", "'key.format' = 'json', 'value.format' = 'json'");
        run(streaming, COPY);
        assertCustomers("+I[1, Ada, Wels]", "+I[3, Eve, Wien]");
    }

    private void assertCustomers(String... expected) throws Exception {
        assertThat(lines(batch, "SELECT * FROM customers ORDER BY id")).containsExactly(expected);
    }
}
