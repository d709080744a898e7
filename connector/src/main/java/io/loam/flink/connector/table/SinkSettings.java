package io.loam.flink.connector.table;

import io.loam.store.commit.CommitMode;

import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.ReadableConfig;
import org.apache.flink.connector.base.DeliveryGuarantee;
import org.apache.flink.table.api.ValidationException;

import javax.annotation.Nullable;

import java.util.Map;
import java.util.Properties;

/**
 * How a table is written.
 *
 * @param parallelism of the sink; null for that of its input
 * @param collection options of the sink in direct mode
 * @param kafka properties of the producer in stream mode
 */
record SinkSettings(
        CommitMode mode,
        @Nullable Integer parallelism,
        Configuration collection,
        Properties kafka,
        DeliveryGuarantee guarantee,
        @Nullable String transactionalIdPrefix) {
    private static final String BOOTSTRAP_SERVERS =
            LoamConnectorOptions.PROPERTIES + "bootstrap.servers";

    /**
     * The settings of a table.
     *
     * @param options what the factory knows by constants
     * @param all every option of the table
     */
    static SinkSettings of(ReadableConfig options, Map<String, String> all) {
        CommitMode mode = options.get(LoamConnectorOptions.SINK_MODE);
        DeliveryGuarantee guarantee = options.get(LoamConnectorOptions.SINK_DELIVERY_GUARANTEE);
        String prefix =
                options.getOptional(LoamConnectorOptions.SINK_TRANSACTIONAL_ID_PREFIX).orElse(null);
        if (mode == CommitMode.STREAM) {
            require(all.containsKey(BOOTSTRAP_SERVERS), BOOTSTRAP_SERVERS);
            require(
                    guarantee != DeliveryGuarantee.EXACTLY_ONCE || prefix != null,
                    LoamConnectorOptions.SINK_TRANSACTIONAL_ID_PREFIX.key());
        }
        Properties kafka = new Properties();
        all.forEach(
                (key, value) -> {
                    if (key.startsWith(LoamConnectorOptions.PROPERTIES)) {
                        kafka.put(key.substring(LoamConnectorOptions.PROPERTIES.length()), value);
                    }
                });
        return new SinkSettings(
                mode,
                options.getOptional(LoamConnectorOptions.SINK_PARALLELISM).orElse(null),
                LoamConnectorOptions.sink(options),
                kafka,
                guarantee,
                prefix);
    }

    private static void require(boolean given, String option) {
        if (!given) {
            throw new ValidationException(
                    "the sink's mode STREAM needs the option "
                            + option
                            + (option.equals(BOOTSTRAP_SERVERS)
                                    ? ""
                                    : " for the delivery guarantee exactly-once"));
        }
    }
}
