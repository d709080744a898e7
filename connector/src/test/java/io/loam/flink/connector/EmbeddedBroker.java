package io.loam.flink.connector;

import io.loam.codec.key.Partitioner;
import io.loam.codec.record.Operation;
import io.loam.codec.record.RecordCodec;

import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.admin.RecordsToDelete;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.apache.kafka.common.test.KafkaClusterTestKit;
import org.apache.kafka.common.test.TestKitNodes;
import org.awaitility.Awaitility;

import javax.annotation.Nullable;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Properties;
import java.util.TreeMap;
import java.util.concurrent.Future;

/** A broker in this JVM, and one topic of it at a time. */
final class EmbeddedBroker implements AutoCloseable {
    private static final String LIMIT = Integer.toString(ImplicitStreamSource.FETCH_BYTES);

    private final KafkaClusterTestKit kit;
    private final KafkaProducer<byte[], byte[]> producer;

    EmbeddedBroker() throws Exception {
        kit =
                new KafkaClusterTestKit.Builder(
                                new TestKitNodes.Builder()
                                        .setCombined(true)
                                        .setNumBrokerNodes(1)
                                        .setNumControllerNodes(1)
                                        .build())
                        .setConfigProp("offsets.topic.replication.factor", "1")
                        .setConfigProp("transaction.state.log.replication.factor", "1")
                        .setConfigProp("transaction.state.log.min.isr", "1")
                        .setConfigProp("group.initial.rebalance.delay.ms", "0")
                        .setConfigProp("message.max.bytes", LIMIT)
                        .setConfigProp("replica.fetch.max.bytes", LIMIT)
                        .build();
        kit.format();
        kit.startup();
        kit.waitForReadyBrokers();
        producer = new KafkaProducer<>(producerProperties());
    }

    private Properties producerProperties() {
        Properties properties = new Properties();
        properties.put(ProducerConfig.BOOTSTRAP_SERVERS_CONFIG, servers());
        properties.put(ProducerConfig.KEY_SERIALIZER_CLASS_CONFIG, ByteArraySerializer.class);
        properties.put(ProducerConfig.VALUE_SERIALIZER_CLASS_CONFIG, ByteArraySerializer.class);
        properties.put(ProducerConfig.MAX_IN_FLIGHT_REQUESTS_PER_CONNECTION, "1");
        properties.put(ProducerConfig.MAX_REQUEST_SIZE_CONFIG, LIMIT);
        properties.put(ProducerConfig.BUFFER_MEMORY_CONFIG, Integer.toString(64 << 20));
        return properties;
    }

    String servers() {
        return kit.bootstrapServers();
    }

    void createTopic(String topic, int partitions) throws Exception {
        try (Admin admin = admin()) {
            NewTopic created = new NewTopic(topic, partitions, (short) 1);
            admin.createTopics(List.of(created.configs(Map.of("max.message.bytes", LIMIT))))
                    .all()
                    .get();
        }
        // Answers once every partition has a leader, after the broker has heard of the topic.
        Awaitility.await()
                .atMost(Duration.ofMinutes(10))
                .ignoreExceptionsMatching(
                        e -> e.getCause() instanceof UnknownTopicOrPartitionException)
                .until(() -> ends(topic, partitions), Objects::nonNull);
    }

    void deleteTopic(String topic) throws Exception {
        try (Admin admin = admin()) {
            admin.deleteTopics(List.of(topic)).all().get();
        }
    }

    private Admin admin() {
        return Admin.create(
                Map.<String, Object>of(ProducerConfig.BOOTSTRAP_SERVERS_CONFIG, servers()));
    }

    /** Sends operations in their order, and waits until the log holds all. */
    void send(String topic, int partitions, Iterable<Operation> operations) throws Exception {
        List<Future<RecordMetadata>> sent = new ArrayList<>();
        for (Operation operation : operations) {
            sent.add(
                    producer.send(
                            new ProducerRecord<>(
                                    topic,
                                    Partitioner.partitionOf(operation.key(), partitions),
                                    operation.key().canonical(),
                                    RecordCodec.encode(operation))));
        }
        producer.flush();
        for (Future<RecordMetadata> record : sent) {
            record.get();
        }
    }

    RecordMetadata send(String topic, int partition, @Nullable byte[] key, @Nullable byte[] value)
            throws Exception {
        return producer.send(new ProducerRecord<>(topic, partition, key, value)).get();
    }

    /** Moves the start of partitions' logs. */
    void deleteRecords(String topic, Map<Integer, Long> begins) throws Exception {
        Map<TopicPartition, RecordsToDelete> below = new HashMap<>();
        begins.forEach(
                (partition, begin) ->
                        below.put(
                                new TopicPartition(topic, partition),
                                RecordsToDelete.beforeOffset(begin)));
        try (Admin admin = admin()) {
            admin.deleteRecords(below).all().get();
        }
    }

    /** Where each partition's log ends. */
    Map<Integer, Long> ends(String topic, int partitions) throws Exception {
        Map<TopicPartition, OffsetSpec> wanted = new HashMap<>();
        for (int partition = 0; partition < partitions; partition++) {
            wanted.put(new TopicPartition(topic, partition), OffsetSpec.latest());
        }
        Map<Integer, Long> ends = new TreeMap<>();
        try (Admin admin = admin()) {
            admin.listOffsets(wanted)
                    .all()
                    .get()
                    .forEach((partition, found) -> ends.put(partition.partition(), found.offset()));
        }
        return ends;
    }

    /** The topic as the verifier reads it. */
    io.loam.store.verify.LogReader log(String topic) {
        Properties properties = new Properties();
        properties.put(ConsumerConfig.BOOTSTRAP_SERVERS_CONFIG, servers());
        properties.put(ConsumerConfig.KEY_DESERIALIZER_CLASS_CONFIG, ByteArrayDeserializer.class);
        properties.put(ConsumerConfig.VALUE_DESERIALIZER_CLASS_CONFIG, ByteArrayDeserializer.class);
        properties.put(ConsumerConfig.MAX_PARTITION_FETCH_BYTES_CONFIG, LIMIT);
        return new Log(topic, new KafkaConsumer<>(properties));
    }

    private record Log(String topic, KafkaConsumer<byte[], byte[]> consumer)
            implements io.loam.store.verify.LogReader {
        @Override
        public long startOffset(int partition) {
            TopicPartition wanted = new TopicPartition(topic, partition);
            return consumer.beginningOffsets(List.of(wanted)).get(wanted);
        }

        @Override
        public void read(int partition, long end, Sink sink) throws java.io.IOException {
            TopicPartition wanted = new TopicPartition(topic, partition);
            consumer.assign(List.of(wanted));
            consumer.seekToBeginning(List.of(wanted));
            while (consumer.position(wanted) < end) {
                for (ConsumerRecord<byte[], byte[]> record :
                        consumer.poll(Duration.ofMillis(200)).records(wanted)) {
                    if (record.offset() < end) {
                        sink.accept(new LogRecord(record.offset(), record.key(), record.value()));
                    }
                }
            }
        }

        @Override
        public void close() {
            consumer.close();
        }
    }

    @Override
    public void close() throws Exception {
        producer.close();
        kit.close();
    }
}
