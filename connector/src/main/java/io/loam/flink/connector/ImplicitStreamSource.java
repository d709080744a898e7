package io.loam.flink.connector;

import io.loam.flink.operators.CollectionElement;
import io.loam.flink.operators.DecodeOperator;
import io.loam.flink.operators.LogRecord;
import io.loam.flink.operators.OpenedCollection;
import io.loam.store.CollectionHandle;
import io.loam.store.WarehouseOptions;
import io.loam.store.metastore.CollectionInfo;

import org.apache.flink.annotation.PublicEvolving;
import org.apache.flink.api.common.eventtime.WatermarkStrategy;
import org.apache.flink.connector.kafka.source.KafkaSource;
import org.apache.flink.connector.kafka.source.KafkaSourceBuilder;
import org.apache.flink.connector.kafka.source.KafkaSourceOptions;
import org.apache.flink.connector.kafka.source.enumerator.initializer.OffsetsInitializer;
import org.apache.flink.streaming.api.datastream.DataStreamSource;
import org.apache.flink.streaming.api.datastream.SingleOutputStreamOperator;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.kafka.clients.consumer.ConsumerConfig;

import javax.annotation.Nullable;

import java.io.IOException;
import java.util.Map;
import java.util.Optional;
import java.util.Properties;

/**
 * Reads a collection's implicit stream from the first offset that is not applied, committed records
 * only, and takes them by their keys. Source and decoder are joined by {@code forward} and must
 * stay so: progress covers the records before it only as long as one subtask sees a partition
 * whole.
 *
 * <pre>{@code
 * DataStream<CollectionElement> elements =
 *         ImplicitStreamSource.builder()
 *                 .warehouse(warehouse)
 *                 .collection("default", "articles")
 *                 .bootstrapServers("localhost:9092")
 *                 .build()
 *                 .addTo(env);
 * }</pre>
 */
@PublicEvolving
public final class ImplicitStreamSource {
    /** Most bytes of one fetch: a record of 16 MiB with its key and frame passes. */
    public static final int FETCH_BYTES = 20 << 20;

    private final WarehouseCollection opener;
    private final CollectionInfo collection;
    private final Properties properties;
    private final boolean bounded;
    @Nullable private final Integer parallelism;

    private ImplicitStreamSource(Builder builder, WarehouseCollection.Found found) {
        this.opener = found.opener();
        this.collection = found.info();
        this.properties = new Properties();
        builder.properties.forEach(this.properties::put); // the builder may be used again
        this.bounded = builder.bounded;
        this.parallelism = builder.parallelism;
    }

    public static Builder builder() {
        return new Builder();
    }

    /** Adds source and decoder to a job. */
    public SingleOutputStreamOperator<CollectionElement> addTo(StreamExecutionEnvironment env) {
        String suffix = "loam-" + collection.id();
        DataStreamSource<LogRecord> records =
                env.fromSource(
                        kafkaSource(),
                        WatermarkStrategy.noWatermarks(),
                        "Implicit stream " + collection.topic());
        records.uid(suffix + "-source");
        if (parallelism != null) {
            records.setParallelism(parallelism);
        }
        SingleOutputStreamOperator<CollectionElement> elements =
                records.forward()
                        .transform(
                                "Decode " + collection.name(),
                                CollectionElement.TYPE,
                                new DecodeOperator(opener))
                        .uid(suffix + "-decode");
        return elements.setParallelism(records.getParallelism());
    }

    private KafkaSource<LogRecord> kafkaSource() {
        KafkaSourceBuilder<LogRecord> builder =
                KafkaSource.<LogRecord>builder()
                        .setProperties(properties)
                        .setTopics(collection.topic())
                        .setStartingOffsets(new AppliedOffsets(opener, collection.topic()))
                        .setDeserializer(new LogRecordDeserializer());
        if (bounded) {
            builder.setBounded(OffsetsInitializer.latest());
        } else { // the number of partitions is fixed
            builder.setProperty(KafkaSourceOptions.PARTITION_DISCOVERY_INTERVAL_MS.key(), "-1");
        }
        return builder.build();
    }

    /** Builds an {@link ImplicitStreamSource}. */
    @PublicEvolving
    public static final class Builder {
        @Nullable private WarehouseOptions warehouse;
        @Nullable private String namespace;
        @Nullable private String name;
        private final Properties properties = new Properties();
        private boolean bounded;
        private boolean acceptTopic;
        @Nullable private Integer parallelism;

        private Builder() {}

        public Builder warehouse(WarehouseOptions value) {
            this.warehouse = value;
            return this;
        }

        public Builder collection(String collectionNamespace, String collectionName) {
            this.namespace = collectionNamespace;
            this.name = collectionName;
            return this;
        }

        public Builder bootstrapServers(String servers) {
            properties.setProperty(ConsumerConfig.BOOTSTRAP_SERVERS_CONFIG, servers);
            return this;
        }

        /** Sets a property of the Kafka consumer, for example for access control. */
        public Builder property(String key, String value) {
            properties.setProperty(key, value);
            return this;
        }

        /**
         * Ends at the offsets that are the log's end when the job starts. Start such a job without
         * state: partitions that are restored from an unbounded job's state have no end.
         */
        public Builder bounded(boolean value) {
            this.bounded = value;
            return this;
        }

        /** Parallelism of source and decoder; more than the partitions is of no use. */
        public Builder parallelism(int value) {
            this.parallelism = value;
            return this;
        }

        /**
         * Goes on from a topic whose id is not the one the collection was applied from, as after a
         * move to another cluster that kept all offsets. Records at other offsets would be lost.
         */
        public Builder acceptTopic(boolean value) {
            this.acceptTopic = value;
            return this;
        }

        /**
         * Looks at collection and topic once, to find out that they fit.
         *
         * @throws IOException if one of them is not there or cannot be reached
         * @throws IllegalArgumentException if something is not given, or they do not fit
         */
        public ImplicitStreamSource build() throws IOException {
            if (warehouse == null
                    || namespace == null
                    || name == null
                    || !properties.containsKey(ConsumerConfig.BOOTSTRAP_SERVERS_CONFIG)) {
                throw new IllegalArgumentException(
                        "an implicit stream needs a warehouse, a collection and bootstrap servers");
            }
            properties.setProperty(ConsumerConfig.ISOLATION_LEVEL_CONFIG, "read_committed");
            properties.setProperty(
                    ConsumerConfig.FETCH_MAX_BYTES_CONFIG, Integer.toString(FETCH_BYTES));
            properties.setProperty(
                    ConsumerConfig.MAX_PARTITION_FETCH_BYTES_CONFIG, Integer.toString(FETCH_BYTES));
            // The manifest says what is applied.
            properties.setProperty(KafkaSourceOptions.COMMIT_OFFSETS_ON_CHECKPOINT.key(), "false");
            WarehouseCollection.Found found = WarehouseCollection.find(warehouse, namespace, name);
            try (OpenedCollection opened = found.opener().open()) {
                Map<Integer, Long> applied = opened.collection().live().manifest().applied();
                Optional<String> topicId =
                        new TopicCheck(properties, found.info().topic())
                                .check(found.info().partitions(), applied);
                if (topicId.isPresent()) {
                    bind(opened.collection(), topicId.get(), applied);
                }
            }
            return new ImplicitStreamSource(this, found);
        }

        /** Offsets that are applied must be of this very topic. */
        private void bind(CollectionHandle collection, String topicId, Map<Integer, Long> applied)
                throws IOException {
            CollectionInfo info = collection.info();
            String bound =
                    collection
                            .metastore()
                            .bindTopic(info.id(), topicId, acceptTopic || applied.isEmpty());
            if (!bound.equals(topicId)) {
                throw new IllegalArgumentException(
                        "topic "
                                + info.topic()
                                + " was deleted and created again, or is another cluster's, since"
                                + " collection "
                                + info.name()
                                + " was applied from it: its id was "
                                + bound
                                + " and is "
                                + topicId
                                + ", so the applied offsets are not of its records. Load them into"
                                + " a new collection; or, if the same records are at the same"
                                + " offsets (a copied log), start with --accept-topic, in Java"
                                + " acceptTopic(true)");
            }
        }
    }
}
