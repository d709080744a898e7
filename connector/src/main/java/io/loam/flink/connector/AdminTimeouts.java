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
     * Puts what is absent so that the client takes it: it refuses a request that may last longer
     * than a call. A request that the user lets last goes with the client's own limit of a call.
     *
     * @param settings of a client; what is no number there is left for the client to refuse
     */
    public static void putIfAbsent(Map<? super String, Object> settings) {
        if (settings.containsKey(AdminClientConfig.REQUEST_TIMEOUT_MS_CONFIG)) {
            return;
        }
        settings.putIfAbsent(AdminClientConfig.DEFAULT_API_TIMEOUT_MS_CONFIG, TIMEOUT_MS);
        String call = settings.get(AdminClientConfig.DEFAULT_API_TIMEOUT_MS_CONFIG).toString();
        try {
            settings.put(
                    AdminClientConfig.REQUEST_TIMEOUT_MS_CONFIG,
                    Math.min(TIMEOUT_MS / 2, Integer.parseInt(call)));
        } catch (NumberFormatException e) {
            return;
        }
    }
}
