package io.loam.flink.connector.maintenance;

import io.loam.flink.connector.testing.SampleSchema;
import io.loam.store.metastore.CollectionInfo;

import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.util.HashMap;
import java.util.Map;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** Clients of brokers that are not there. */
class KafkaStreamLogTest {
    private static final String NOBODY = "127.0.0.1:1";

    private static KafkaStreamLog log(String... settings) throws IOException {
        CollectionInfo docs =
                new CollectionInfo(1, "default", 2, "docs", "docs-topic", 1, SampleSchema.get(), 0);
        Map<String, String> client = new HashMap<>(Map.of("bootstrap.servers", NOBODY));
        for (int i = 0; i < settings.length; i += 2) {
            client.put(settings[i], settings[i + 1]);
        }
        return new KafkaStreamLog(client, docs);
    }

    @Test
    void aBrokerThatDoesNotAnswerIsNamed() throws IOException {
        try (KafkaStreamLog log =
                log("request.timeout.ms", "200", "default.api.timeout.ms", "400")) {
            assertThatThrownBy(log::starts)
                    .isInstanceOf(IOException.class)
                    .hasMessage(
                            "no broker answers at "
                                    + NOBODY
                                    + "; check the address and that Kafka is up");
        }
    }

    @Test
    void timeoutsOfTheUserAreTaken() throws IOException {
        for (String name : new String[] {"request.timeout.ms", "default.api.timeout.ms"}) {
            try (KafkaStreamLog log = log(name, "40000")) {
                assertThat(log).isNotNull();
            }
        }
        log().close();
    }
}
