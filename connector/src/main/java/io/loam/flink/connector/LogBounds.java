package io.loam.flink.connector;

import org.apache.kafka.common.TopicPartition;

import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import java.util.TreeSet;

/** What a topic's log must look like for a collection to go on from it. */
final class LogBounds {
    private final String topic;
    private final int partitions;

    /**
     * @param partitions of the collection
     */
    LogBounds(String topic, int partitions) {
        this.topic = topic;
        this.partitions = partitions;
    }

    /** Refuses a topic that has not exactly the collection's partitions. */
    void checkPartitions(Collection<TopicPartition> found) {
        TreeSet<Integer> numbers = new TreeSet<>();
        found.forEach(partition -> numbers.add(partition.partition()));
        if (numbers.size() != partitions || numbers.last() != partitions - 1) {
            throw new IllegalArgumentException(
                    "topic "
                            + topic
                            + " has "
                            + numbers.size()
                            + " partitions, the collection has "
                            + partitions
                            + "; keys are on the partitions of the collection, so the numbers must"
                            + " be equal");
        }
    }

    /**
     * The offsets to start at: what is applied, or where the log begins if that is later.
     *
     * @throws IllegalArgumentException if more is applied than the log ever held
     */
    Map<TopicPartition, Long> starts(
            Map<Integer, Long> applied,
            Map<TopicPartition, Long> begins,
            Map<TopicPartition, Long> ends) {
        Map<TopicPartition, Long> starts = new HashMap<>();
        begins.forEach(
                (partition, begin) -> {
                    long next = applied.getOrDefault(partition.partition(), 0L);
                    if (next > ends.get(partition)) {
                        throw new IllegalArgumentException(
                                "the collection has applied partition "
                                        + partition
                                        + " up to offset "
                                        + next
                                        + ", but its log ends at "
                                        + ends.get(partition)
                                        + ": the topic was recreated or truncated. Restore it, or"
                                        + " load its records into a new collection");
                    }
                    starts.put(partition, Math.max(next, begin));
                });
        return starts;
    }
}
