package io.loam.flink.connector;

import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.Test;

import java.util.List;
import java.util.Map;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

class LogBoundsTest {
    private static final TopicPartition ZERO = new TopicPartition("t", 0);
    private static final TopicPartition ONE = new TopicPartition("t", 1);

    private final LogBounds bounds = new LogBounds("t", 2);

    @Test
    void startsAtAppliedOrWhereTheLogBegins() {
        assertThat(
                        bounds.starts(
                                Map.of(0, 5L),
                                Map.of(ZERO, 2L, ONE, 3L),
                                Map.of(ZERO, 5L, ONE, 9L)))
                .isEqualTo(Map.of(ZERO, 5L, ONE, 3L));
        assertThat(bounds.starts(Map.of(0, 5L), Map.of(ZERO, 7L), Map.of(ZERO, 9L)))
                .isEqualTo(Map.of(ZERO, 7L));
    }

    @Test
    void refusesALogThatEndsBeforeApplied() {
        assertThatThrownBy(() -> bounds.starts(Map.of(1, 5L), Map.of(ONE, 0L), Map.of(ONE, 4L)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("applied partition t-1 up to offset 5")
                .hasMessageContaining("its log ends at 4")
                .hasMessageContaining("recreated");
    }

    @Test
    void refusesOtherPartitions() {
        bounds.checkPartitions(List.of(ZERO, ONE));
        assertThatThrownBy(() -> bounds.checkPartitions(List.of(ZERO)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("topic t has 1 partitions, the collection has 2");
        assertThatThrownBy(
                        () ->
                                bounds.checkPartitions(
                                        List.of(ZERO, ONE, new TopicPartition("t", 2))))
                .hasMessageContaining("has 3 partitions");
    }
}
