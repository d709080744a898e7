package io.loam.flink.operators;

import io.loam.flink.operators.CollectionElement.Progress;
import io.loam.store.commit.OffsetRange;

import org.junit.jupiter.api.Test;

import java.util.List;
import java.util.Map;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

class ProgressTrackerTest {
    @Test
    void startsAtTheLaterOfStateAndApplied() {
        ProgressTracker tracker =
                ProgressTracker.startingAt(
                        List.of(
                                new PartitionOffset(0, 5),
                                new PartitionOffset(1, 2),
                                new PartitionOffset(1, 3)),
                        Map.of(0, 4L, 1, 7L));
        assertThat(tracker.advance(0, 4)).isFalse();
        assertThat(tracker.advance(0, 5)).isTrue();
        assertThat(tracker.advance(1, 6)).isFalse();
        assertThat(tracker.advance(1, 7)).isTrue();
        assertThat(tracker.drain())
                .containsExactly(
                        new Progress(0, new OffsetRange(5, 6, 0)),
                        new Progress(1, new OffsetRange(7, 8, 0)));
    }

    @Test
    void countsWhatTheLogDoesNotHold() {
        ProgressTracker tracker = ProgressTracker.startingAt(List.of(), Map.of(0, 10L));
        tracker.advance(0, 15); // the log starts later
        tracker.advance(0, 16);
        tracker.advance(0, 18); // a gap
        assertThat(tracker.drain()).containsExactly(new Progress(0, new OffsetRange(10, 19, 6)));
        tracker.advance(0, 19);
        assertThat(tracker.drain()).containsExactly(new Progress(0, new OffsetRange(19, 20, 0)));
        assertThat(tracker.drain()).isEmpty();
    }

    @Test
    void refusesToGoBack() {
        ProgressTracker tracker = ProgressTracker.startingAt(List.of(), Map.of());
        tracker.advance(3, 0);
        assertThatThrownBy(() -> tracker.advance(3, 0))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("partition 3 went back from offset 1 to 0");
    }

    @Test
    void oneSubtaskKeepsWhatNobodyHasReadFrom() {
        ProgressTracker tracker =
                ProgressTracker.startingAt(List.of(new PartitionOffset(1, 9)), Map.of(0, 4L));
        tracker.advance(0, 4);
        assertThat(tracker.snapshot(false)).containsExactly(new PartitionOffset(0, 5));
        assertThat(tracker.snapshot(true))
                .containsExactlyInAnyOrder(new PartitionOffset(0, 5), new PartitionOffset(1, 9));
    }
}
