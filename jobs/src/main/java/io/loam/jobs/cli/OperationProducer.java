package io.loam.jobs.cli;

import io.loam.codec.key.Partitioner;
import io.loam.codec.key.PrimaryKey;
import io.loam.codec.record.Operation;
import io.loam.codec.record.RecordCodec;
import io.loam.store.metastore.CollectionInfo;

import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.ByteArraySerializer;

import javax.annotation.Nullable;

import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.atomic.AtomicReference;

/** Appends operations to a collection's implicit stream, in order per key. Not thread-safe. */
public final class OperationProducer implements AutoCloseable {
    private final CollectionInfo collection;
    private final KafkaProducer<byte[], byte[]> producer;
    private final AtomicReference<Exception> failure = new AtomicReference<>();
    private long sent;

    public OperationProducer(String brokers, CollectionInfo collection) {
        this.collection = collection;
        Map<String, Object> config = new HashMap<>();
        config.put(ProducerConfig.BOOTSTRAP_SERVERS_CONFIG, brokers);
        config.put(ProducerConfig.ACKS_CONFIG, "all");
        config.put(ProducerConfig.ENABLE_IDEMPOTENCE_CONFIG, true);
        config.put(ProducerConfig.LINGER_MS_CONFIG, 10);
        config.put(ProducerConfig.BATCH_SIZE_CONFIG, 256 << 10);
        config.put(ProducerConfig.MAX_REQUEST_SIZE_CONFIG, Topic.MAX_MESSAGE_BYTES);
        config.put(ProducerConfig.BUFFER_MEMORY_CONFIG, 64L << 20);
        config.put(ProducerConfig.MAX_BLOCK_MS_CONFIG, 15_000);
        config.put(ProducerConfig.DELIVERY_TIMEOUT_MS_CONFIG, 60_000);
        this.producer =
                new KafkaProducer<>(config, new ByteArraySerializer(), new ByteArraySerializer());
    }

    /** Appends an operation; it is safe once {@link #flush} returned. */
    public void send(Operation operation) {
        send(operation.key(), RecordCodec.encode(operation));
    }

    /** Appends an encoded operation on a key. */
    void send(PrimaryKey key, byte[] value) {
        sendRaw(Partitioner.partitionOf(key, collection.partitions()), key.canonical(), value);
    }

    /** Appends a record as it is. */
    public void sendRaw(int partition, @Nullable byte[] key, @Nullable byte[] value) {
        rethrow();
        producer.send(
                new ProducerRecord<>(collection.topic(), partition, key, value),
                (metadata, e) -> {
                    if (e != null) {
                        failure.compareAndSet(null, e);
                    }
                });
        sent++;
    }

    /** Waits until the brokers have everything. */
    public void flush() {
        producer.flush();
        rethrow();
    }

    public long sent() {
        return sent;
    }

    private void rethrow() {
        Exception e = failure.get();
        if (e != null) {
            throw new CliException("the broker did not take a record: " + e.getMessage(), e);
        }
    }

    @Override
    public void close() {
        producer.close();
    }
}
