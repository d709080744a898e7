package io.loam.flink.connector.maintenance;

import io.loam.flink.connector.AdminTimeouts;
import io.loam.store.metastore.CollectionInfo;
import io.loam.store.trim.StreamLog;

import org.apache.flink.annotation.Internal;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AdminClientConfig;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.admin.RecordsToDelete;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.KafkaFuture;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;

/** A collection's topic, as trimming sees it. */
@Internal
public final class KafkaStreamLog implements StreamLog {
    private static final Duration CLOSING = Duration.ofSeconds(5);

    private final Map<String, Object> settings;
    private final CollectionInfo collection;
    private final Admin admin;

    /**
     * @param client settings of a Kafka client, {@code bootstrap.servers} among them
     * @throws IOException if the client does not take them
     */
    public KafkaStreamLog(Map<String, String> client, CollectionInfo collection)
            throws IOException {
        this.settings = new HashMap<>(client);
        this.collection = collection;
        AdminTimeouts.putIfAbsent(settings);
        try {
            this.admin = Admin.create(settings);
        } catch (KafkaException e) {
            throw failed(e.getCause() == null ? e : e.getCause());
        }
    }

    @Override
    public String id() throws IOException {
        String topic = collection.topic();
        Uuid id = await(admin.describeTopics(List.of(topic)).allTopicNames()).get(topic).topicId();
        return id.equals(Uuid.ZERO_UUID) ? "" : id.toString();
    }

    @Override
    public Map<Integer, Long> starts() throws IOException {
        return offsets(OffsetSpec.earliest());
    }

    @Override
    public Map<Integer, Long> ends() throws IOException {
        return offsets(OffsetSpec.latest());
    }

    private Map<Integer, Long> offsets(OffsetSpec spec) throws IOException {
        Map<TopicPartition, OffsetSpec> wanted = new HashMap<>();
        for (int partition = 0; partition < collection.partitions(); partition++) {
            wanted.put(new TopicPartition(collection.topic(), partition), spec);
        }
        Map<Integer, Long> offsets = new HashMap<>();
        await(admin.listOffsets(wanted).all())
                .forEach((partition, found) -> offsets.put(partition.partition(), found.offset()));
        return offsets;
    }

    @Override
    public void deleteBefore(Map<Integer, Long> offsets) throws IOException {
        Map<TopicPartition, RecordsToDelete> request = new HashMap<>();
        offsets.forEach(
                (partition, offset) ->
                        request.put(
                                new TopicPartition(collection.topic(), partition),
                                RecordsToDelete.beforeOffset(offset)));
        await(admin.deleteRecords(request).all());
    }

    private <T> T await(KafkaFuture<T> answer) throws IOException {
        try {
            return answer.get();
        } catch (ExecutionException e) {
            throw failed(e.getCause());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new InterruptedIOException("interrupted while asking the broker");
        }
    }

    private IOException failed(Throwable cause) {
        Object servers = settings.get(AdminClientConfig.BOOTSTRAP_SERVERS_CONFIG);
        if (cause instanceof TimeoutException) {
            return new IOException(
                    "no broker answers at " + servers + "; check the address and that Kafka is up",
                    cause);
        }
        return cause instanceof UnknownTopicOrPartitionException
                ? new IOException(
                        "the broker at " + servers + " has no topic " + collection.topic(), cause)
                : new IOException(
                        "topic "
                                + collection.topic()
                                + " at "
                                + servers
                                + ": "
                                + cause.getMessage(),
                        cause);
    }

    @Override
    public void close() {
        admin.close(CLOSING);
    }
}
