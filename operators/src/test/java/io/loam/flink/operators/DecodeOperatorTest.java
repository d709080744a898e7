package io.loam.flink.operators;

import io.loam.codec.Ulid;
import io.loam.flink.operators.CollectionElement.Letter;
import io.loam.flink.operators.CollectionElement.Op;
import io.loam.flink.operators.CollectionElement.Progress;
import io.loam.store.commit.OffsetRange;

import org.apache.flink.runtime.checkpoint.OperatorSubtaskState;
import org.apache.flink.streaming.util.OneInputStreamOperatorTestHarness;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;

import static io.loam.flink.operators.TestCollection.delete;
import static io.loam.flink.operators.TestCollection.record;
import static org.assertj.core.api.Assertions.assertThat;

class DecodeOperatorTest {
    @TempDir Path directory;
    private TestCollection collection;

    @BeforeEach
    void open() throws Exception {
        collection = new TestCollection(directory);
    }

    @AfterEach
    void close() throws Exception {
        collection.close();
    }

    private OneInputStreamOperatorTestHarness<LogRecord, CollectionElement> harness()
            throws Exception {
        return parallel(1, 0);
    }

    private static void process(
            OneInputStreamOperatorTestHarness<LogRecord, CollectionElement> harness,
            LogRecord record)
            throws Exception {
        harness.processElement(record, 0);
    }

    @Test
    void marksProgressBeforeTheBarrier() throws Exception {
        int partition = TestCollection.partitionOf(delete("a"));
        try (var harness = harness()) {
            harness.open();
            process(harness, record(delete("a"), 0));
            process(harness, new LogRecord(partition, 1, null, null));
            harness.prepareSnapshotPreBarrier(1);
            harness.snapshot(1, 0);
            harness.prepareSnapshotPreBarrier(2);
            List<CollectionElement> out = harness.extractOutputValues();
            assertThat(out).hasSize(3);
            assertThat(out.get(0)).isInstanceOf(Op.class);
            assertThat(out.get(1)).isInstanceOf(Letter.class);
            assertThat(out.get(2)).isEqualTo(new Progress(partition, new OffsetRange(0, 2, 0)));
        }
    }

    @Test
    void marksProgressAtTheEndOfInput() throws Exception {
        try (var harness = harness()) {
            harness.open();
            process(harness, record(delete("a"), 0));
            harness.endInput();
            harness.getOperator().finish();
            assertThat(harness.extractOutputValues())
                    .hasSize(2)
                    .last()
                    .isInstanceOf(Progress.class);
        }
    }

    @Test
    void goesOnWhereItsStateSays() throws Exception {
        int partition = TestCollection.partitionOf(delete("a"));
        OperatorSubtaskState state;
        try (var harness = harness()) {
            harness.open();
            process(harness, record(delete("a"), 0));
            process(harness, record(delete("a"), 1));
            harness.prepareSnapshotPreBarrier(1);
            state = harness.snapshot(1, 0);
        }
        try (var harness = harness()) {
            harness.initializeState(state);
            harness.open();
            process(harness, record(delete("a"), 1)); // the source went back
            process(harness, record(delete("a"), 4)); // and the log was trimmed
            harness.prepareSnapshotPreBarrier(2);
            assertThat(harness.extractOutputValues())
                    .hasSize(2)
                    .last()
                    .isEqualTo(new Progress(partition, new OffsetRange(2, 5, 2)));
        }
    }

    @Test
    void dropsWhatIsAppliedWhateverItsStateSays() throws Exception {
        int partition = TestCollection.partitionOf(delete("a"));
        collection.publish(
                new TestCollection.Published(
                        "c1", new Ulid(1, 1), 1, Map.of(partition, 3L), Map.of(), List.of()));
        try (var harness = harness()) {
            harness.open();
            for (long offset = 0; offset < 5; offset++) {
                process(harness, record(delete("a"), offset));
            }
            harness.prepareSnapshotPreBarrier(1);
            assertThat(harness.extractOutputValues())
                    .hasSize(3)
                    .last()
                    .isEqualTo(new Progress(partition, new OffsetRange(3, 5, 0)));
        }
    }

    @Test
    void partitionsMayMoveBetweenSubtasks() throws Exception {
        int partition = TestCollection.partitionOf(delete("a"));
        OperatorSubtaskState first;
        OperatorSubtaskState second;
        try (var one = parallel(2, 0);
                var two = parallel(2, 1)) {
            one.open();
            two.open();
            process(two, record(delete("a"), 0));
            two.prepareSnapshotPreBarrier(1);
            first = one.snapshot(1, 0);
            second = two.snapshot(1, 0);
        }
        OperatorSubtaskState all = OneInputStreamOperatorTestHarness.repackageState(first, second);
        try (var one = parallel(3, 2)) {
            one.initializeState(
                    OneInputStreamOperatorTestHarness.repartitionOperatorState(all, 3, 2, 3, 2));
            one.open();
            process(one, record(delete("a"), 0));
            process(one, record(delete("a"), 1));
            one.prepareSnapshotPreBarrier(2);
            assertThat(one.extractOutputValues())
                    .last()
                    .isEqualTo(new Progress(partition, new OffsetRange(1, 2, 0)));
        }
    }

    private OneInputStreamOperatorTestHarness<LogRecord, CollectionElement> parallel(
            int parallelism, int subtask) throws Exception {
        OneInputStreamOperatorTestHarness<LogRecord, CollectionElement> harness =
                new OneInputStreamOperatorTestHarness<>(
                        new DecodeOperator(collection.opener()), 3, parallelism, subtask);
        harness.setup(CollectionElementSerializer.INSTANCE);
        return harness;
    }
}
