package io.loam.flink.connector;

import org.apache.flink.annotation.Internal;
import org.apache.kafka.clients.admin.AdminClientConfig;

import java.util.Map;

/** How long Kafka's admin client waits for a broker where its user does not say. */
@Internal
public final class AdminTimeouts {
    private static final int TIMEOUT_MS = 15_000;

    private AdminTimeouts() {}

    /**
     * Puts both timeouts, or neither: one without the other may not go together, which the client
     * refuses.
     *
     * @param settings of a client
     */
    public static void putIfAbsent(Map<? super String, Object> settings) {
        if (!settings.containsKey(AdminClientConfig.REQUEST_TIMEOUT_MS_CONFIG)
                && !settings.containsKey(AdminClientConfig.DEFAULT_API_TIMEOUT_MS_CONFIG)) {
            settings.put(AdminClientConfig.REQUEST_TIMEOUT_MS_CONFIG, TIMEOUT_MS / 2);
            settings.put(AdminClientConfig.DEFAULT_API_TIMEOUT_MS_CONFIG, TIMEOUT_MS);
        }
    }
}
