package io.loam.jobs.cli;

import io.loam.store.metastore.CollectionInfo;
import io.loam.store.verify.LogReader;

import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;

import java.io.IOException;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Reads a collection's implicit stream for the verifier. */
public final class KafkaLogReader implements LogReader {
    private static final Duration POLL = Duration.ofMillis(500);
    private static final int MAX_IDLE_POLLS = 60;

    private final String brokers;
    private final CollectionInfo collection;
    private final KafkaConsumer<byte[], byte[]> consumer;

    public KafkaLogReader(String brokers, CollectionInfo collection) {
        this.brokers = brokers;
        this.collection = collection;
        Map<String, Object> config = new HashMap<>();
        config.put(ConsumerConfig.BOOTSTRAP_SERVERS_CONFIG, brokers);
        config.put(ConsumerConfig.ENABLE_AUTO_COMMIT_CONFIG, false);
        config.put(ConsumerConfig.ISOLATION_LEVEL_CONFIG, "read_committed");
        config.put(ConsumerConfig.AUTO_OFFSET_RESET_CONFIG, "none");
        config.put(ConsumerConfig.FETCH_MAX_BYTES_CONFIG, Topic.MAX_MESSAGE_BYTES);
        config.put(ConsumerConfig.MAX_PARTITION_FETCH_BYTES_CONFIG, Topic.MAX_MESSAGE_BYTES);
        config.put(ConsumerConfig.DEFAULT_API_TIMEOUT_MS_CONFIG, 15_000);
        this.consumer =
                new KafkaConsumer<>(
                        config, new ByteArrayDeserializer(), new ByteArrayDeserializer());
    }

    private TopicPartition partition(int partition) {
        return new TopicPartition(collection.topic(), partition);
    }

    @Override
    public long startOffset(int partition) throws IOException {
        TopicPartition topicPartition = partition(partition);
        try {
            return consumer.beginningOffsets(List.of(topicPartition)).get(topicPartition);
        } catch (TimeoutException e) {
            throw new CliException(
                    "no broker answers at " + brokers + "; check --brokers and that Kafka is up",
                    e);
        } catch (KafkaException e) {
            throw new IOException(
                    "could not read the start of " + topicPartition + ": " + e.getMessage(), e);
        }
    }

    @Override
    public void read(int partition, long end, Sink sink) throws IOException {
        TopicPartition topicPartition = partition(partition);
        try {
            consumer.assign(List.of(topicPartition));
            consumer.seekToBeginning(List.of(topicPartition));
            int idle = 0;
            while (consumer.position(topicPartition) < end) {
                List<ConsumerRecord<byte[], byte[]>> records =
                        consumer.poll(POLL).records(topicPartition);
                idle = records.isEmpty() ? idle + 1 : 0;
                if (idle > MAX_IDLE_POLLS) {
                    throw new IOException(
                            topicPartition
                                    + " gives no records beyond "
                                    + consumer.position(topicPartition)
                                    + ", expected up to "
                                    + end);
                }
                for (ConsumerRecord<byte[], byte[]> record : records) {
                    if (record.offset() < end) {
                        sink.accept(new LogRecord(record.offset(), record.key(), record.value()));
                    }
                }
            }
        } catch (KafkaException e) {
            throw new IOException("could not read " + topicPartition + ": " + e.getMessage(), e);
        }
    }

    @Override
    public void close() {
        consumer.close();
    }
}
