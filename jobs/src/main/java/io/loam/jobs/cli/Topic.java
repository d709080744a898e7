package io.loam.jobs.cli;

import io.loam.store.metastore.CollectionInfo;

import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AdminClientConfig;
import org.apache.kafka.clients.admin.ListOffsetsResult.ListOffsetsResultInfo;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.admin.TopicDescription;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** The Kafka topic of a collection's implicit stream. */
public final class Topic implements AutoCloseable {
    /** Lets a value of 16 MiB with its key and frame pass. */
    public static final int MAX_MESSAGE_BYTES = 20 << 20;

    private static final int TIMEOUT_MS = 15_000;

    private final Admin admin;
    private final String brokers;
    private final CollectionInfo collection;

    public Topic(String brokers, CollectionInfo collection) {
        this.brokers = brokers;
        this.collection = collection;
        this.admin =
                Admin.create(
                        Map.of(
                                AdminClientConfig.BOOTSTRAP_SERVERS_CONFIG,
                                brokers,
                                AdminClientConfig.REQUEST_TIMEOUT_MS_CONFIG,
                                Integer.toString(TIMEOUT_MS / 2),
                                AdminClientConfig.DEFAULT_API_TIMEOUT_MS_CONFIG,
                                Integer.toString(TIMEOUT_MS)));
    }

    /** Makes the topic unless it is there; refuses one with another number of partitions. */
    public void ensure() throws InterruptedException {
        Integer partitions = partitions();
        if (partitions == null) {
            NewTopic topic =
                    new NewTopic(collection.topic(), collection.partitions(), (short) -1)
                            .configs(
                                    Map.of(
                                            "max.message.bytes",
                                            Integer.toString(MAX_MESSAGE_BYTES),
                                            "retention.ms",
                                            "-1",
                                            "cleanup.policy",
                                            "delete"));
            await(admin.createTopics(List.of(topic)).all());
            awaitLeaders();
        } else if (partitions != collection.partitions()) {
            throw new CliException(
                    "topic "
                            + collection.topic()
                            + " has "
                            + partitions
                            + " partitions, the collection "
                            + collection.partitions());
        }
    }

    /** Producing before every partition has a leader can wedge an idempotent producer. */
    private void awaitLeaders() throws InterruptedException {
        long deadline = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(TIMEOUT_MS);
        while (System.nanoTime() < deadline) {
            TopicDescription description = describe();
            if (description != null
                    && description.partitions().size() == collection.partitions()
                    && description.partitions().stream()
                            .allMatch(p -> p.leader() != null && !p.leader().isEmpty())) {
                return;
            }
            Thread.sleep(100);
        }
        throw new CliException("topic " + collection.topic() + " got no leaders at " + brokers);
    }

    private Integer partitions() throws InterruptedException {
        TopicDescription description = describe();
        return description == null ? null : description.partitions().size();
    }

    private TopicDescription describe() throws InterruptedException {
        try {
            return await(admin.describeTopics(List.of(collection.topic())).allTopicNames())
                    .get(collection.topic());
        } catch (CliException e) {
            if (e.getCause() instanceof UnknownTopicOrPartitionException) {
                return null;
            }
            throw e;
        }
    }

    /** The next offset of every partition. */
    public long[] endOffsets() throws InterruptedException {
        Map<TopicPartition, OffsetSpec> request = new HashMap<>();
        for (int p = 0; p < collection.partitions(); p++) {
            request.put(new TopicPartition(collection.topic(), p), OffsetSpec.latest());
        }
        Map<TopicPartition, ListOffsetsResultInfo> found = await(admin.listOffsets(request).all());
        long[] offsets = new long[collection.partitions()];
        found.forEach((partition, info) -> offsets[partition.partition()] = info.offset());
        return offsets;
    }

    private <T> T await(org.apache.kafka.common.KafkaFuture<T> future) throws InterruptedException {
        try {
            return future.get(TIMEOUT_MS, TimeUnit.MILLISECONDS);
        } catch (ExecutionException e) {
            Throwable cause = e.getCause();
            if (cause instanceof org.apache.kafka.common.errors.TimeoutException) {
                throw unreachable(cause);
            }
            throw new CliException(
                    "topic " + collection.topic() + " at " + brokers + ": " + cause.getMessage(),
                    cause);
        } catch (TimeoutException e) {
            throw unreachable(e);
        }
    }

    private CliException unreachable(Throwable cause) {
        return new CliException(
                "no broker answers at " + brokers + "; check --brokers and that Kafka is up",
                cause);
    }

    @Override
    public void close() {
        admin.close(java.time.Duration.ofSeconds(5));
    }
}
