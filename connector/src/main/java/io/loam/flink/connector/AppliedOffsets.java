package io.loam.flink.connector;

import io.loam.flink.operators.CollectionOpener;
import io.loam.flink.operators.OpenedCollection;
import io.loam.store.FailPoint;

import org.apache.flink.connector.kafka.source.enumerator.initializer.OffsetsInitializer;
import org.apache.kafka.clients.consumer.OffsetResetStrategy;
import org.apache.kafka.common.TopicPartition;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Collection;
import java.util.Map;

/** Starts where the live manifest of the moment says: at the first offset not applied. */
final class AppliedOffsets implements OffsetsInitializer {
    private static final long serialVersionUID = 1L;

    private final CollectionOpener opener;
    private final String topic;

    AppliedOffsets(CollectionOpener opener, String topic) {
        this.opener = opener;
        this.topic = topic;
    }

    @Override
    public Map<TopicPartition, Long> getPartitionOffsets(
            Collection<TopicPartition> partitions, PartitionOffsetsRetriever retriever) {
        try (OpenedCollection opened = opener.open()) {
            LogBounds bounds = new LogBounds(topic, opened.collection().info().partitions());
            bounds.checkPartitions(partitions);
            Map<TopicPartition, Long> starts =
                    bounds.starts(
                            opened.collection().live().manifest().applied(),
                            retriever.beginningOffsets(partitions),
                            retriever.endOffsets(partitions));
            FailPoint.SOURCE_START.reach();
            return starts;
        } catch (IOException e) {
            throw new UncheckedIOException(
                    "cannot read where to start in topic " + topic + ": " + e.getMessage(), e);
        }
    }

    // The connector still asks for the deprecated type.
    @SuppressWarnings("deprecation")
    @Override
    public OffsetResetStrategy getAutoOffsetResetStrategy() {
        return OffsetResetStrategy.EARLIEST;
    }
}
