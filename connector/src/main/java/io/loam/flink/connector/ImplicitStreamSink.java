package io.loam.flink.connector;

import io.loam.codec.key.InvalidKeyException;
import io.loam.codec.key.Partitioner;
import io.loam.codec.key.PrimaryKey;
import io.loam.codec.manifest.DeadLetter;
import io.loam.flink.operators.CollectionElement;
import io.loam.store.metastore.CollectionInfo;

import org.apache.flink.annotation.PublicEvolving;
import org.apache.flink.api.connector.sink2.Sink;
import org.apache.flink.connector.base.DeliveryGuarantee;
import org.apache.flink.connector.kafka.sink.KafkaRecordSerializationSchema;
import org.apache.flink.connector.kafka.sink.KafkaSink;
import org.apache.flink.connector.kafka.sink.KafkaSinkBuilder;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.clients.producer.ProducerRecord;

import javax.annotation.Nullable;

import java.io.IOException;
import java.util.Map;
import java.util.Properties;

/**
 * Appends changes, as {@link Changes} makes them, to the implicit stream of a collection, for
 * another job to apply. What is no change goes there, too, as it is: that job makes a dead letter
 * of it.
 */
@PublicEvolving
public final class ImplicitStreamSink {
    /** Lets a value of 16 MiB with its key and frame pass. */
    private static final int MAX_REQUEST_BYTES = 20 << 20;

    private ImplicitStreamSink() {}

    /**
     * Looks at the topic, so that what is wrong with it is said at once.
     *
     * @param kafka properties of Kafka's producer, {@code bootstrap.servers} among them
     * @param transactionalIdPrefix for {@link DeliveryGuarantee#EXACTLY_ONCE}, and unique to the
     *     job among all that write to the same brokers
     * @throws IOException if the brokers cannot be asked or have no such topic
     * @throws IllegalArgumentException if the topic does not fit the collection, or exactly once
     *     has no prefix
     */
    public static Sink<CollectionElement> of(
            CollectionInfo collection,
            Properties kafka,
            DeliveryGuarantee guarantee,
            @Nullable String transactionalIdPrefix)
            throws IOException {
        if (guarantee == DeliveryGuarantee.EXACTLY_ONCE && transactionalIdPrefix == null) {
            throw new IllegalArgumentException(
                    "delivery exactly once needs a prefix of transactional ids that no other job"
                            + " has");
        }
        new TopicCheck(kafka, collection.topic()).check(collection.partitions(), Map.of());
        Properties producer = new Properties();
        producer.put(ProducerConfig.MAX_REQUEST_SIZE_CONFIG, Integer.toString(MAX_REQUEST_BYTES));
        kafka.forEach(producer::put);
        KafkaSinkBuilder<CollectionElement> builder =
                KafkaSink.<CollectionElement>builder()
                        .setKafkaProducerConfig(producer)
                        .setDeliveryGuarantee(guarantee)
                        .setRecordSerializer(
                                new Records(collection.topic(), collection.partitions()));
        if (transactionalIdPrefix != null) {
            builder.setTransactionalIdPrefix(transactionalIdPrefix);
        }
        return builder.build();
    }

    /** Records of the topic. */
    private record Records(String topic, int partitions)
            implements KafkaRecordSerializationSchema<CollectionElement> {
        private static final long serialVersionUID = 1L;

        @Override
        public ProducerRecord<byte[], byte[]> serialize(
                CollectionElement element, KafkaSinkContext context, @Nullable Long timestamp) {
            if (element instanceof CollectionElement.Change change) {
                PrimaryKey key = change.key();
                return new ProducerRecord<>(
                        topic,
                        Partitioner.partitionOf(key, partitions),
                        key.canonical(),
                        change.value());
            }
            if (element instanceof CollectionElement.Letter rejected) {
                DeadLetter letter = rejected.letter();
                return new ProducerRecord<>(
                        topic, partition(letter.key()), letter.key(), letter.value());
            }
            throw new IllegalArgumentException(
                    "an implicit stream takes changes, no " + element.getClass().getSimpleName());
        }

        private int partition(@Nullable byte[] key) {
            try {
                return key == null
                        ? 0
                        : Partitioner.partitionOf(PrimaryKey.parseCanonical(key), partitions);
            } catch (InvalidKeyException e) {
                return 0;
            }
        }
    }
}
