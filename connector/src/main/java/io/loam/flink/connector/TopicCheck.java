package io.loam.flink.connector;

import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AdminClientConfig;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.admin.TopicDescription;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;

import java.io.IOException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Properties;
import java.util.concurrent.ExecutionException;

/** Looks at a topic before a job starts on it, so that what is wrong is said in one line. */
final class TopicCheck {
    private final Properties properties;
    private final String topic;

    TopicCheck(Properties properties, String topic) {
        this.properties = new Properties();
        properties.forEach(this.properties::put);
        AdminTimeouts.putIfAbsent(this.properties);
        this.topic = topic;
    }

    /**
     * @return the topic's id, absent if the broker is too old to have any
     * @throws IOException if the broker cannot be asked or has no such topic
     * @throws IllegalArgumentException if the topic does not fit the collection
     */
    Optional<String> check(int partitions, Map<Integer, Long> applied) throws IOException {
        LogBounds bounds = new LogBounds(topic, partitions);
        try (Admin admin = Admin.create(properties)) {
            TopicDescription description =
                    admin.describeTopics(List.of(topic)).allTopicNames().get().get(topic);
            List<TopicPartition> found =
                    description.partitions().stream()
                            .map(info -> new TopicPartition(topic, info.partition()))
                            .toList();
            bounds.checkPartitions(found);
            bounds.starts(
                    applied,
                    offsets(admin, found, OffsetSpec.earliest()),
                    offsets(admin, found, OffsetSpec.latest()));
            return Optional.of(description.topicId())
                    .filter(id -> !id.equals(Uuid.ZERO_UUID))
                    .map(Uuid::toString);
        } catch (ExecutionException e) {
            throw failed(e.getCause());
        } catch (KafkaException e) { // settings the client does not take
            throw failed(e.getCause() == null ? e : e.getCause());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw failed(e);
        }
    }

    private static Map<TopicPartition, Long> offsets(
            Admin admin, List<TopicPartition> partitions, OffsetSpec spec)
            throws ExecutionException, InterruptedException {
        Map<TopicPartition, OffsetSpec> wanted = new HashMap<>();
        partitions.forEach(partition -> wanted.put(partition, spec));
        Map<TopicPartition, Long> offsets = new HashMap<>();
        admin.listOffsets(wanted)
                .all()
                .get()
                .forEach((partition, found) -> offsets.put(partition, found.offset()));
        return offsets;
    }

    private IOException failed(Throwable cause) {
        Object servers = properties.get(AdminClientConfig.BOOTSTRAP_SERVERS_CONFIG);
        return cause instanceof UnknownTopicOrPartitionException
                ? new IOException("the broker at " + servers + " has no topic " + topic, cause)
                : new IOException(
                        "cannot look at topic "
                                + topic
                                + " on the broker at "
                                + servers
                                + ": "
                                + cause.getMessage(),
                        cause);
    }
}
