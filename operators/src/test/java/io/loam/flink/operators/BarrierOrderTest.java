package io.loam.flink.operators;

import io.loam.codec.Ulid;
import io.loam.codec.key.PrimaryKey;
import io.loam.codec.record.Document;
import io.loam.codec.record.Operation;
import io.loam.codec.staged.StagedUnit;
import io.loam.flink.operators.CollectionElement.Progress;
import io.loam.flink.operators.CollectionElement.StageReport;
import io.loam.flink.operators.CollectionElement.Unit;
import io.loam.store.commit.CollectionCommittable;
import io.loam.store.commit.CommitMode;
import io.loam.store.commit.OffsetRange;

import org.apache.flink.api.java.functions.KeySelector;
import org.apache.flink.configuration.CheckpointingOptions;
import org.apache.flink.configuration.ConfigOption;
import org.apache.flink.core.execution.CheckpointingMode;
import org.apache.flink.runtime.checkpoint.CheckpointOptions;
import org.apache.flink.runtime.event.AbstractEvent;
import org.apache.flink.runtime.io.network.api.CancelCheckpointMarker;
import org.apache.flink.runtime.io.network.api.CheckpointBarrier;
import org.apache.flink.runtime.io.network.api.EndOfData;
import org.apache.flink.runtime.io.network.api.StopMode;
import org.apache.flink.runtime.io.network.partition.consumer.TestInputChannel;
import org.apache.flink.streaming.api.connector.sink2.CommittableMessage;
import org.apache.flink.streaming.api.connector.sink2.CommittableMessageTypeInfo;
import org.apache.flink.streaming.api.connector.sink2.CommittableWithLineage;
import org.apache.flink.streaming.api.operators.AbstractStreamOperator;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;
import org.apache.flink.streaming.runtime.tasks.OneInputStreamTask;
import org.apache.flink.streaming.runtime.tasks.StreamTaskMailboxTestHarness;
import org.apache.flink.streaming.runtime.tasks.StreamTaskMailboxTestHarnessBuilder;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

import static io.loam.flink.operators.TestCollection.key;
import static io.loam.flink.operators.TestCollection.upsert;
import static org.apache.flink.configuration.CheckpointingOptions.CHECKPOINTING_INTERVAL;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/**
 * Staging and aggregating tasks whose two inputs bring barriers at different times, in another
 * order than records, or not at all.
 */
class BarrierOrderTest {
    private static final Ulid INCARNATION = new Ulid(9, 9);
    private static final Duration OFTEN = Duration.ofSeconds(10);
    private static final KeySelector<CollectionElement, PrimaryKey> ROUTING =
            CollectionElement::routingKey;

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

    /**
     * A task with two input channels, as Flink runs it. What is sent behind a barrier stays with
     * the sender until the task resumes the channel.
     */
    private static class Task<I, O> implements AutoCloseable {
        private final StreamTaskMailboxTestHarness<O> harness;
        private final List<Deque<Object>> senders = List.of(new ArrayDeque<>(), new ArrayDeque<>());
        private int seen;

        Task(StreamTaskMailboxTestHarnessBuilder<O> builder, AbstractStreamOperator<O> operator)
                throws Exception {
            harness =
                    builder.modifyStreamConfig(
                                    config ->
                                            config.getConfiguration()
                                                    .set(CHECKPOINTING_INTERVAL, OFTEN))
                            .addJobConfig(CHECKPOINTING_INTERVAL, OFTEN)
                            .setupOutputForSingletonOperatorChain(operator)
                            .build();
        }

        Task<I, O> send(int channel, List<? extends I> elements) throws Exception {
            elements.forEach(element -> senders.get(channel).add(new StreamRecord<>(element)));
            return pump();
        }

        Task<I, O> barrier(int channel, long checkpoint) throws Exception {
            return event(
                    channel,
                    new CheckpointBarrier(
                            checkpoint,
                            checkpoint,
                            CheckpointOptions.forCheckpointWithDefaultLocation()));
        }

        Task<I, O> cancelled(int channel, long checkpoint) throws Exception {
            return event(channel, new CancelCheckpointMarker(checkpoint));
        }

        Task<I, O> endOfData(int channel) throws Exception {
            return event(channel, new EndOfData(StopMode.DRAIN));
        }

        private Task<I, O> event(int channel, AbstractEvent event) throws Exception {
            senders.get(channel).add(event);
            return pump();
        }

        private TestInputChannel channel(int channel) {
            return (TestInputChannel)
                    harness.getStreamMockEnvironment().getAllInputGates()[0].getChannel(channel);
        }

        private Task<I, O> pump() throws Exception {
            boolean more = true;
            while (more) {
                more = false;
                for (int i = 0; i < senders.size(); i++) {
                    while (!channel(i).isBlocked() && !senders.get(i).isEmpty()) {
                        deliver(i, senders.get(i).remove());
                        more = true;
                    }
                }
            }
            return this;
        }

        private void deliver(int channel, Object next) throws Exception {
            if (next instanceof AbstractEvent event) {
                channel(channel).setBlocked(event instanceof CheckpointBarrier);
                harness.processEvent(event, 0, channel);
            } else {
                harness.processElement(next, 0, channel);
            }
        }

        /** The task is told, possibly before it has seen a barrier. */
        Task<I, O> aborted(long checkpoint) throws Exception {
            harness.getStreamTask().notifyCheckpointAbortAsync(checkpoint, checkpoint - 1);
            harness.processAll();
            return pump();
        }

        /** What came out since the last look. */
        List<O> out() {
            List<O> values = new ArrayList<>();
            List<Object> all = new ArrayList<>(harness.getOutput());
            for (Object output : all.subList(seen, all.size())) {
                if (output instanceof StreamRecord<?> record) {
                    @SuppressWarnings("unchecked")
                    O value = (O) record.getValue();
                    values.add(value);
                }
            }
            seen = all.size();
            return values;
        }

        @Override
        public void close() throws Exception {
            harness.close();
        }
    }

    private Task<CollectionElement, CollectionElement> stage() throws Exception {
        return new Task<>(stageTask(), stageOperator());
    }

    private static StreamTaskMailboxTestHarnessBuilder<CollectionElement> stageTask() {
        return new StreamTaskMailboxTestHarnessBuilder<>(
                        OneInputStreamTask::new, CollectionElement.TYPE)
                .addInput(CollectionElement.TYPE, 2, ROUTING)
                .setKeyType(KeyTypes.KEY);
    }

    private StageOperator stageOperator() {
        return new StageOperator(
                collection.opener(), INCARNATION, StageHarness.options(1000, 1000));
    }

    private Task<CommittableMessage<CollectionElement>, CommittableMessage<CollectionCommittable>>
            aggregate() throws Exception {
        return new Task<>(aggregateTask(), aggregateOperator());
    }

    private static StreamTaskMailboxTestHarnessBuilder<CommittableMessage<CollectionCommittable>>
            aggregateTask() {
        return new StreamTaskMailboxTestHarnessBuilder<>(
                        OneInputStreamTask::new,
                        CommittableMessageTypeInfo.of(ByReference<CollectionCommittable>::new))
                .addInput(CommittableMessageTypeInfo.of(ByReference<CollectionElement>::new), 2);
    }

    private AggregateOperator aggregateOperator() {
        return new AggregateOperator(
                collection.opener(),
                INCARNATION,
                new AggregateOptions(CommitMode.STREAM, "writer", "c", 30_000, false, false));
    }

    /** An operation that inserts a key, at an offset of the key's partition. */
    private static CollectionElement op(String key, long offset) {
        Operation operation = upsert(key, "{\"n\":1}");
        return TestCollection.op(operation, offset);
    }

    private static CollectionElement progress(int partition, long from, long to) {
        return new Progress(partition, new OffsetRange(from, to, 0));
    }

    private List<String> staged(List<CollectionElement> out) throws IOException {
        List<String> keys = new ArrayList<>();
        for (StagedUnit unit : StageHarness.units(out)) {
            for (Document document : collection.rows.documents(unit.dataFile())) {
                keys.add(document.key().toString());
            }
        }
        return keys;
    }

    private static List<String> keys(String... names) {
        return Stream.of(names).map(name -> key(name).toString()).toList();
    }

    private static List<CommittableMessage<CollectionElement>> messages(
            int subtask, CollectionElement... elements) {
        return Stream.of(elements)
                .<CommittableMessage<CollectionElement>>map(
                        element -> new CommittableWithLineage<>(element, 1, subtask))
                .toList();
    }

    private static StageReport report(int subtask) {
        return new StageReport(subtask, 2, "");
    }

    private static Unit unit(long id) {
        return new Unit(
                new StagedUnit(
                        new Ulid(1, id),
                        1,
                        1,
                        100,
                        100 + id,
                        1,
                        "f" + id,
                        1,
                        List.of(),
                        null,
                        0,
                        0,
                        0,
                        0));
    }

    private static List<CollectionCommittable> committables(
            List<CommittableMessage<CollectionCommittable>> out) {
        return out.stream()
                .filter(CommittableWithLineage.class::isInstance)
                .map(
                        message ->
                                ((CommittableWithLineage<CollectionCommittable>) message)
                                        .getCommittable())
                .toList();
    }

    private static CollectionCommittable only(List<CommittableMessage<CollectionCommittable>> out) {
        assertThat(committables(out)).hasSize(1);
        return committables(out).get(0);
    }

    /** A cluster may bring settings that the graph was built without. */
    @Test
    void barriersThatRecordsMayOvertakeAreRefused() {
        assertRefused(CheckpointingOptions.ENABLE_UNALIGNED, true);
        assertRefused(
                CheckpointingOptions.CHECKPOINTING_CONSISTENCY_MODE,
                CheckpointingMode.AT_LEAST_ONCE);
        assertRefused(CheckpointingOptions.ENABLE_CHECKPOINTS_AFTER_TASKS_FINISH, false);
    }

    private <T> void assertRefused(ConfigOption<T> option, T value) {
        assertThatThrownBy(
                        () -> new Task<>(stageTask().addJobConfig(option, value), stageOperator()))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining(option.key());
        assertThatThrownBy(
                        () ->
                                new Task<>(
                                        aggregateTask().addJobConfig(option, value),
                                        aggregateOperator()))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining(option.key());
    }

    @Test
    void stagingWaitsForTheBarrierOfTheSlowerInput() throws Exception {
        for (int fast = 0; fast < 2; fast++) {
            int slow = 1 - fast;
            try (Task<CollectionElement, CollectionElement> stage = stage()) {
                stage.send(fast, List.of(op("a", 0), progress(0, 0, 1)))
                        .barrier(fast, 1)
                        .send(fast, List.of(op("next", 1), progress(0, 1, 2)))
                        .send(slow, List.of(op("b", 0)));
                assertThat(StageHarness.units(stage.out())).isEmpty();
                stage.send(slow, List.of(progress(1, 0, 1))).barrier(slow, 1);
                List<CollectionElement> first = stage.out();
                assertThat(staged(first)).isEqualTo(keys("a", "b"));
                assertThat(first)
                        .containsSubsequence(
                                progress(1, 0, 1),
                                new Unit(StageHarness.units(first).get(0)),
                                progress(0, 1, 2)); // goes on behind the barrier
                stage.barrier(slow, 2).barrier(fast, 2);
                assertThat(staged(stage.out())).isEqualTo(keys("next"));
            }
        }
    }

    @Test
    void whatAStagedButAbortedCheckpointLeftStaysWithTheNext() throws Exception {
        try (Task<CollectionElement, CollectionElement> stage = stage()) {
            stage.send(0, List.of(op("a", 0))).barrier(0, 1).cancelled(1, 1);
            assertThat(StageHarness.units(stage.out())).isEmpty();
            stage.send(0, List.of(op("b", 1))).barrier(0, 2).barrier(1, 2);
            assertThat(staged(stage.out())).isEqualTo(keys("a", "b"));
        }
    }

    @Test
    void aBarrierOvertakenByTheNextAbortsItsCheckpoint() throws Exception {
        try (Task<CollectionElement, CollectionElement> stage = stage()) {
            stage.send(0, List.of(op("a", 0))).barrier(0, 1);
            stage.send(1, List.of(op("b", 0))).barrier(1, 2); // it never saw the first
            assertThat(StageHarness.units(stage.out())).isEmpty();
            stage.send(0, List.of(op("c", 1))).barrier(0, 2);
            assertThat(staged(stage.out())).isEqualTo(keys("a", "b", "c"));
        }
    }

    @Test
    void unitsOvertakeNoBarrier() throws Exception {
        for (int fast = 0; fast < 2; fast++) {
            int slow = 1 - fast;
            try (Task<
                            CommittableMessage<CollectionElement>,
                            CommittableMessage<CollectionCommittable>>
                    aggregate = aggregate()) {
                aggregate
                        .send(fast, messages(fast, report(fast), unit(1), progress(0, 0, 1)))
                        .barrier(fast, 1)
                        .send(fast, messages(fast, unit(2), progress(0, 1, 2)))
                        .barrier(fast, 2) // two checkpoints are in flight
                        .send(fast, messages(fast, progress(0, 2, 3)))
                        .send(slow, messages(slow, report(slow), unit(3), progress(1, 0, 1)));
                assertThat(committables(aggregate.out())).isEmpty();
                aggregate.barrier(slow, 1);
                CollectionCommittable first = only(aggregate.out());
                assertThat(first.checkpoint()).isEqualTo(1);
                assertThat(ids(first)).containsExactlyInAnyOrder(1L, 3L);
                assertThat(first.progress())
                        .containsOnly(
                                Map.entry(0, new OffsetRange(0, 1, 0)),
                                Map.entry(1, new OffsetRange(0, 1, 0)));
                aggregate.send(slow, messages(slow, unit(4))).barrier(slow, 2);
                CollectionCommittable second = only(aggregate.out());
                assertThat(second.base()).isEqualTo(first.commitId());
                assertThat(ids(second)).containsExactlyInAnyOrder(2L, 4L);
                assertThat(second.progress()).containsOnly(Map.entry(0, new OffsetRange(1, 2, 0)));
            }
        }
    }

    /** However a checkpoint ends before its barriers met, the next one has all of it. */
    @Test
    void theCheckpointAfterAnAbortedOneHasEverything() throws Exception {
        for (int way = 0; way < 3; way++) {
            try (Task<
                            CommittableMessage<CollectionElement>,
                            CommittableMessage<CollectionCommittable>>
                    aggregate = aggregate()) {
                aggregate
                        .send(0, messages(0, report(0), unit(1), progress(0, 0, 1)))
                        .send(1, messages(1, report(1), unit(2)));
                switch (way) {
                    case 0 -> aggregate.barrier(0, 1).cancelled(1, 1);
                    case 1 -> aggregate.barrier(0, 1); // the other barrier never comes
                    default -> aggregate.aborted(1).barrier(0, 1).barrier(1, 1);
                }
                assertThat(committables(aggregate.out())).isEmpty();
                aggregate
                        .send(1, messages(1, unit(3)))
                        .barrier(1, 2)
                        .send(0, messages(0, progress(0, 1, 2)))
                        .barrier(0, 2);
                CollectionCommittable all = only(aggregate.out());
                assertThat(all.checkpoint()).isEqualTo(2);
                assertThat(ids(all)).containsExactlyInAnyOrder(1L, 2L, 3L);
                assertThat(all.progress()).containsOnly(Map.entry(0, new OffsetRange(0, 2, 0)));
                assertThat(all.base()).isEmpty();
            }
        }
    }

    @Test
    void anInputThatEndsEarlierWaitsForTheOther() throws Exception {
        try (Task<CommittableMessage<CollectionElement>, CommittableMessage<CollectionCommittable>>
                aggregate = aggregate()) {
            aggregate
                    .send(0, messages(0, report(0), unit(1), progress(0, 0, 1)))
                    .endOfData(0)
                    .send(1, messages(1, report(1), unit(2)))
                    .barrier(1, 1);
            assertThat(committables(aggregate.out())).isEmpty();
            aggregate.barrier(0, 1); // a subtask without more input still passes barriers on
            CollectionCommittable first = only(aggregate.out());
            assertThat(ids(first)).containsExactlyInAnyOrder(1L, 2L);
            aggregate.send(1, messages(1, unit(3))).endOfData(1);
            CollectionCommittable last = only(aggregate.out());
            assertThat(last.checkpoint()).isEqualTo(2);
            assertThat(last.base()).isEqualTo(first.commitId());
            assertThat(ids(last)).containsExactly(3L);
            aggregate.barrier(0, 2).barrier(1, 2); // the final checkpoint
            assertThat(committables(aggregate.out())).isEmpty();
        }
    }

    private static List<Long> ids(CollectionCommittable committable) {
        return committable.units().stream()
                .map(unit -> unit.firstRowId() - unit.rowIdBase())
                .toList();
    }
}
