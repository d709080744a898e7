package io.loam.flink.operators;

import io.loam.codec.Ulid;
import io.loam.codec.key.PrimaryKey;
import io.loam.codec.record.Document;
import io.loam.codec.staged.KeyChange;
import io.loam.codec.staged.KeyListCodec;
import io.loam.codec.staged.StagedUnit;
import io.loam.flink.operators.CollectionElement.CurrentRow;
import io.loam.flink.operators.CollectionElement.Progress;
import io.loam.flink.operators.CollectionElement.StageReport;
import io.loam.flink.operators.TestCollection.Published;
import io.loam.store.commit.CommitMode;
import io.loam.store.commit.OffsetRange;

import org.apache.flink.runtime.execution.SuppressRestartsException;
import org.apache.flink.runtime.jobgraph.JobType;
import org.apache.flink.runtime.operators.testutils.MockEnvironment;
import org.apache.flink.streaming.api.operators.OneInputStreamOperator;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;
import org.apache.flink.streaming.util.OneInputStreamOperatorTestHarness;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

import static io.loam.flink.operators.TestCollection.change;
import static io.loam.flink.operators.TestCollection.delete;
import static io.loam.flink.operators.TestCollection.key;
import static io.loam.flink.operators.TestCollection.patch;
import static io.loam.flink.operators.TestCollection.upsert;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** Batch execution: arrivals are numbered, sorted as the runtime does it, and staged. */
class BatchStageTest {
    private static final Ulid INCARNATION = new Ulid(77, 1);

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

    /** An operator in the environment of a job of some kind. */
    private static final class Harness implements AutoCloseable {
        private final MockEnvironment environment;
        private final OneInputStreamOperatorTestHarness<CollectionElement, CollectionElement>
                harness;

        Harness(
                OneInputStreamOperator<CollectionElement, CollectionElement> operator,
                JobType job,
                int parallelism,
                int subtask)
                throws Exception {
            environment =
                    MockEnvironment.builder()
                            .setJobType(job)
                            .setMaxParallelism(Math.max(8, parallelism))
                            .setParallelism(parallelism)
                            .setSubtaskIndex(subtask)
                            .build();
            harness = new OneInputStreamOperatorTestHarness<>(operator, environment);
            harness.setup(CollectionElementSerializer.INSTANCE);
        }

        @SuppressWarnings("unchecked")
        List<StreamRecord<CollectionElement>> run(List<CollectionElement> elements)
                throws Exception {
            harness.open();
            for (CollectionElement element : elements) {
                harness.processElement(element, 0);
            }
            harness.getOneInputOperator().finish();
            List<StreamRecord<CollectionElement>> out = new ArrayList<>();
            harness.getOutput()
                    .forEach(record -> out.add((StreamRecord<CollectionElement>) record));
            return out;
        }

        @Override
        public void close() throws Exception {
            harness.getOneInputOperator().close(); // the harness would finish it again
            environment.close();
        }
    }

    private List<StreamRecord<CollectionElement>> number(
            int parallelism, int subtask, CollectionElement... elements) throws Exception {
        try (Harness number =
                new Harness(
                        new BatchInputOperator(collection.opener()),
                        JobType.BATCH,
                        parallelism,
                        subtask)) {
            return number.run(List.of(elements));
        }
    }

    /** As the runtime sorts: by the key's bytes, then by time. */
    private static List<CollectionElement> sorted(List<StreamRecord<CollectionElement>> records) {
        List<StreamRecord<CollectionElement>> sorted = new ArrayList<>(records);
        sorted.sort(
                Comparator.comparing(
                                (StreamRecord<CollectionElement> record) ->
                                        record.getValue().routingKey())
                        .thenComparing(StreamRecord::getTimestamp));
        return sorted.stream().map(StreamRecord::getValue).toList();
    }

    private List<CollectionElement> stage(int batchRecords, List<CollectionElement> sorted)
            throws Exception {
        return stage(batchRecords, 1, sorted);
    }

    private List<CollectionElement> stage(
            int batchRecords, int parallelism, List<CollectionElement> sorted) throws Exception {
        StageOptions options = StageHarness.options(CommitMode.DIRECT, batchRecords, 1000);
        try (Harness stage =
                new Harness(
                        new BatchStageOperator(collection.opener(), INCARNATION, options),
                        JobType.BATCH,
                        parallelism,
                        0)) {
            return stage.run(sorted).stream().map(StreamRecord::getValue).toList();
        }
    }

    private static StagedUnit only(List<CollectionElement> out) {
        List<StagedUnit> units = StageHarness.units(out);
        assertThat(units).hasSize(1);
        return units.get(0);
    }

    /** What the units change together, one after the other. */
    private Map<PrimaryKey, KeyChange> changes(List<StagedUnit> units) throws Exception {
        Map<PrimaryKey, KeyChange> changes = new TreeMap<>();
        for (StagedUnit unit : units) {
            String path = collection.handle().paths().stagedKeys(unit.unit());
            for (KeyChange change : KeyListCodec.decode(collection.memory.get(path), path)) {
                changes.merge(
                        change.key(),
                        change,
                        (one, two) -> {
                            assertThat(two.oldRow()).isEqualTo(one.newRow());
                            return new KeyChange(one.key(), one.oldRow(), two.newRow());
                        });
            }
        }
        return changes;
    }

    private Document document(List<StagedUnit> units, long row) throws Exception {
        for (StagedUnit unit : units) {
            long at = row - unit.firstRowId();
            if (at >= 0 && at < unit.rowCount()) {
                return collection.rows.documents(unit.dataFile()).get((int) at);
            }
        }
        throw new AssertionError("no unit has row " + row);
    }

    private void publish(Map<Long, Document> rows) throws Exception {
        collection.publish(new Published("x", null, 1, Map.of(), rows, List.of()));
    }

    @Test
    void everySubtaskBringsItsShareOfTheRowsAndTellsTheVersion() throws Exception {
        publish(
                Map.of(
                        5L, TestCollection.document("a", "{\"n\":1}"),
                        6L, TestCollection.document("b", "{\"n\":2}"),
                        7L, TestCollection.document("c", "{\"n\":3}")));
        List<CollectionElement> rows = new ArrayList<>();
        for (int subtask = 0; subtask < 2; subtask++) {
            List<StreamRecord<CollectionElement>> out =
                    number(2, subtask, change(delete("z")), change(delete("z")));
            assertThat(out.get(0).getTimestamp()).isZero();
            assertThat(out.get(1).getTimestamp()).isEqualTo(1);
            assertThat(out)
                    .extracting(StreamRecord::getValue)
                    .contains(new StageReport(subtask, 2, "x"));
            out.stream()
                    .filter(record -> record.getValue() instanceof CurrentRow)
                    .forEach(
                            record -> {
                                assertThat(record.getTimestamp()).isNegative();
                                rows.add(record.getValue());
                            });
        }
        assertThat(rows)
                .containsExactlyInAnyOrder(
                        new CurrentRow(key("a"), 5),
                        new CurrentRow(key("b"), 6),
                        new CurrentRow(key("c"), 7));
    }

    @Test
    void operationsAreFoldedInTheOrderOfArrivalOnTheRowsThatWere() throws Exception {
        publish(
                Map.of(
                        5L, TestCollection.document("a", "{\"n\":1}"),
                        6L, TestCollection.document("b", "{\"n\":2}"),
                        7L, TestCollection.document("c", "{\"n\":3}")));
        CollectionElement[] input = {
            change(upsert("d", "{\"n\":1}")),
            change(patch("a", "{\"m\":1}")),
            change(upsert("d", "{\"n\":2}")),
            change(delete("c")),
            change(patch("a", "{\"m\":2}")),
            change(patch("d", "{\"m\":3}")),
        };
        for (int batchRecords : new int[] {1, 2, 1000}) {
            List<CollectionElement> out = stage(batchRecords, sorted(number(1, 0, input)));
            assertThat(out).contains(new StageReport(0, 1, "x"));
            List<StagedUnit> units = StageHarness.units(out);
            Map<PrimaryKey, KeyChange> changes = changes(units);
            assertThat(changes.keySet()).containsExactly(key("a"), key("c"), key("d"));
            assertThat(changes.get(key("a")).oldRow()).isEqualTo(5);
            assertThat(changes.get(key("c"))).isEqualTo(new KeyChange(key("c"), 7L, null));
            assertThat(changes.get(key("d")).oldRow()).isNull();
            assertThat(document(units, changes.get(key("a")).newRow()))
                    .isEqualTo(TestCollection.document("a", "{\"n\":1,\"m\":2}"));
            assertThat(document(units, changes.get(key("d")).newRow()))
                    .isEqualTo(TestCollection.document("d", "{\"n\":2,\"m\":3}"));
        }
    }

    @Test
    void aFullLaneGoesOnInTheNextArenaAndAnotherUnit() throws Exception {
        List<CollectionElement> sorted = new ArrayList<>();
        for (int i = 0; i < 10; i++) {
            sorted.add(change(upsert("k" + i, "{\"n\":" + i + "}")));
        }
        int lanesOfFour = 1 << 30;
        List<StagedUnit> units = StageHarness.units(stage(2, lanesOfFour, sorted));
        assertThat(units).extracting(StagedUnit::rowCount).containsExactly(4L, 4L, 2L);
        assertThat(units)
                .extracting(unit -> unit.firstRowId() - unit.rowIdBase())
                .containsExactly(1L << 32, 2L << 32, 3L << 32);
    }

    @Test
    void progressPassesInStreamModeOnly() throws Exception {
        Progress progress = new Progress(1, new OffsetRange(0, 5, 0));
        assertThatThrownBy(() -> stage(10, List.of(progress)))
                .isInstanceOf(SuppressRestartsException.class);
    }

    @Test
    void eachKindOfExecutionHasAnOperatorOfItsOwn() throws Exception {
        StageOptions options = StageHarness.options(10, 10);
        try (Harness batch =
                new Harness(
                        new BatchStageOperator(collection.opener(), INCARNATION, options),
                        JobType.STREAMING,
                        1,
                        0)) {
            assertThatThrownBy(() -> batch.run(List.of()))
                    .isInstanceOf(SuppressRestartsException.class)
                    .cause()
                    .hasMessageContaining(
                            "built for BATCH execution, but the job runs as STREAMING")
                    .hasMessageContaining("execution.runtime-mode");
        }
        try (Harness streaming =
                new Harness(
                        new StageOperator(collection.opener(), INCARNATION, options),
                        JobType.BATCH,
                        1,
                        0)) {
            assertThatThrownBy(() -> streaming.run(List.of()))
                    .isInstanceOf(SuppressRestartsException.class)
                    .cause()
                    .hasMessageContaining(
                            "built for STREAMING execution, but the job runs as BATCH");
        }
    }

    @Test
    void theSameUnitsMakeTheSameCommit() throws Exception {
        StagedUnit one = only(stage(10, List.of(change(upsert("a", "{}")))));
        StagedUnit two = only(stage(10, List.of(change(upsert("a", "{}")))));
        String id = BatchCommitId.of("x", List.of(one, two), Map.of());
        assertThat(BatchCommitId.of("x", List.of(two, one), Map.of())).isEqualTo(id);
        assertThat(BatchCommitId.of("y", List.of(one, two), Map.of())).isNotEqualTo(id);
        assertThat(BatchCommitId.of("x", List.of(one), Map.of())).isNotEqualTo(id);
        assertThat(BatchCommitId.of("x", List.of(one, two), Map.of(0, new OffsetRange(0, 1, 0))))
                .isNotEqualTo(id);
    }
}
