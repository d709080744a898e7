package io.loam.flink.connector;

import org.apache.kafka.clients.admin.AdminClientConfig;
import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.util.Map;
import java.util.Properties;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

class TopicCheckTest {
    @Test
    void settingsTheClientDoesNotTakeAreSaidInOneLine() {
        Properties properties = new Properties();
        properties.put(AdminClientConfig.BOOTSTRAP_SERVERS_CONFIG, "no-port");
        assertThatThrownBy(() -> new TopicCheck(properties, "docs").check(1, Map.of()))
                .isInstanceOf(IOException.class)
                .hasMessage(
                        "cannot look at topic docs on the broker at no-port: Invalid url in"
                                + " bootstrap.servers: no-port");
    }

    @Test
    void aTimeoutOfTheUserIsTaken() {
        Properties properties = new Properties();
        properties.put(AdminClientConfig.BOOTSTRAP_SERVERS_CONFIG, "127.0.0.1:1");
        properties.put(AdminClientConfig.DEFAULT_API_TIMEOUT_MS_CONFIG, "500");
        assertThatThrownBy(() -> new TopicCheck(properties, "docs").check(1, Map.of()))
                .isInstanceOf(IOException.class)
                .hasMessageStartingWith(
                        "cannot look at topic docs on the broker at 127.0.0.1:1: Timed out");
    }
}
