package io.loam.flink.operators;

import io.loam.codec.Ulid;
import io.loam.codec.manifest.DeadLetter;
import io.loam.codec.manifest.RowIdRange;
import io.loam.codec.record.Document;
import io.loam.codec.schema.CollectionSchema;
import io.loam.codec.schema.CollectionSchema.Dynamic;
import io.loam.codec.schema.CollectionSchema.Field;
import io.loam.codec.schema.CollectionSchema.FieldKind;
import io.loam.codec.staged.KeyChange;
import io.loam.codec.staged.StagedUnit;
import io.loam.codec.staged.UnitDescriptor;
import io.loam.codec.staged.UnitDescriptorCodec;
import io.loam.flink.operators.CollectionElement.Progress;
import io.loam.flink.operators.CollectionElement.StageReport;
import io.loam.flink.operators.TestCollection.Published;
import io.loam.store.commit.OffsetRange;
import io.loam.store.object.ObjectInfo;
import io.loam.store.testing.FailingObjectStore;
import io.loam.store.testing.FaultPlan;

import org.apache.flink.runtime.checkpoint.OperatorSubtaskState;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

import static io.loam.flink.operators.StageHarness.INCARNATION;
import static io.loam.flink.operators.StageHarness.options;
import static io.loam.flink.operators.StageHarness.units;
import static io.loam.flink.operators.TestCollection.delete;
import static io.loam.flink.operators.TestCollection.document;
import static io.loam.flink.operators.TestCollection.key;
import static io.loam.flink.operators.TestCollection.patch;
import static io.loam.flink.operators.TestCollection.schema;
import static io.loam.flink.operators.TestCollection.upsert;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

class StageOperatorTest {
    private static final StageOptions ROOMY = options(1000, 1000);

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

    private StageHarness stage(StageOptions options) throws Exception {
        return new StageHarness(collection, options, 1, 0);
    }

    private static StagedUnit only(List<CollectionElement> elements) {
        assertThat(units(elements)).hasSize(1);
        return units(elements).get(0);
    }

    @Test
    void stagesAUnitBeforeTheBarrier() throws Exception {
        try (StageHarness stage = stage(ROOMY).open()) {
            stage.apply(upsert("b", "{\"n\":1}"));
            stage.apply(upsert("a", "{\"n\":2}"));
            stage.apply(upsert("b", "{\"n\":3}"));
            List<CollectionElement> out = stage.barrier(1);
            assertThat(out.get(0)).isEqualTo(new StageReport(0, 1, ""));
            StagedUnit unit = only(out);
            assertThat(unit.rowCount()).isEqualTo(2);
            assertThat(collection.rows.documents(unit.dataFile()))
                    .containsExactly(document("a", "{\"n\":2}"), document("b", "{\"n\":3}"));
            assertThat(unit.split().ranges())
                    .containsExactly(new RowIdRange(unit.firstRowId(), unit.firstRowId() + 2));
            assertThat(stage.changes(unit))
                    .containsExactly(
                            new KeyChange(key("a"), null, unit.firstRowId()),
                            new KeyChange(key("b"), null, unit.firstRowId() + 1));
            assertThat(stage.row("b")).isEqualTo(unit.firstRowId() + 1);
            assertThat(stage.barrier(2)).isEmpty();
        }
    }

    @Test
    void announcesObjectsBeforeUploadingThem() throws Exception {
        FaultPlan plan = FaultPlan.scripted();
        collection.wrapObjects(new FailingObjectStore(collection.memory, plan));
        try (StageHarness stage = stage(ROOMY).open()) {
            stage.apply(upsert("a", "{}"));
            stage.element(new CollectionElement.Letter(letter(1)));
            StagedUnit unit = only(stage.barrier(1));
            String descriptorPath = collection.handle().paths().stagedDescriptor(unit.unit());
            List<String> puts =
                    plan.operations().stream().filter(line -> line.startsWith("put")).toList();
            assertThat(puts.get(0)).contains(descriptorPath);
            UnitDescriptor descriptor =
                    UnitDescriptorCodec.decode(
                            collection.memory.get(descriptorPath), descriptorPath);
            assertThat(descriptor.incarnation()).isEqualTo(INCARNATION);
            assertThat(descriptor.paths())
                    .containsExactlyInAnyOrderElementsOf(
                            collection.memory.list("").stream()
                                    .map(ObjectInfo::path)
                                    .filter(path -> !path.equals(descriptorPath))
                                    .toList());
        }
    }

    private static DeadLetter letter(long offset) {
        return new DeadLetter(0, offset, null, new byte[] {1}, "undecodable: so");
    }

    @Test
    void passesProgressOnAndStagesLetters() throws Exception {
        try (StageHarness stage = stage(ROOMY).open()) {
            Progress progress = new Progress(0, new OffsetRange(0, 5, 0));
            stage.element(progress);
            stage.element(new CollectionElement.Letter(letter(4)));
            List<CollectionElement> out = stage.barrier(1);
            assertThat(out).contains(progress);
            StagedUnit unit = only(out);
            assertThat(unit.rowCount()).isZero();
            assertThat(unit.split()).isNull();
            assertThat(unit.keyChanges()).isZero();
            assertThat(stage.letters(unit)).hasSize(1);
        }
    }

    @Test
    void deletesAndPatchesKnowTheirRows() throws Exception {
        try (StageHarness stage = stage(ROOMY).open()) {
            stage.apply(upsert("a", "{\"n\":1}"));
            stage.apply(upsert("b", "{\"n\":1}"));
            long first = only(stage.barrier(1)).firstRowId();
            stage.snapshot(1);
            stage.apply(delete("a"));
            stage.apply(patch("b", "{\"x\":true}"));
            stage.apply(patch("absent", "{\"x\":true}"));
            stage.apply(delete("absent"));
            StagedUnit unit = only(stage.barrier(2));
            assertThat(stage.changes(unit))
                    .containsExactly(
                            new KeyChange(key("a"), first, null),
                            new KeyChange(key("b"), first + 1, unit.firstRowId()));
            assertThat(unit.firstRowId()).isEqualTo(first + (1L << 32));
            assertThat(collection.rows.documents(unit.dataFile()))
                    .containsExactly(document("b", "{\"n\":1,\"x\":true}"));
            assertThat(collection.rows.filesOpened).hasValue(1);
            assertThat(collection.rows.opened).hasValue(0);
            assertThat(stage.indexSize()).isEqualTo(1);
        }
    }

    @Test
    void aPatchThatChangesNothingStagesNothing() throws Exception {
        try (StageHarness stage = stage(ROOMY).open()) {
            stage.apply(upsert("a", "{\"n\":1}"));
            stage.barrier(1);
            stage.apply(patch("a", "{\"n\":1}"));
            assertThat(stage.barrier(2)).isEmpty();
        }
    }

    @Test
    void aPatchOfARowBeingBuiltReadsItFromItsUnit() throws Exception {
        try (StageHarness stage = stage(options(1, 1000)).open()) {
            stage.apply(upsert("a", "{\"n\":1}"));
            stage.apply(upsert("b", "{\"n\":1}"));
            stage.apply(patch("a", "{\"m\":2}"));
            List<StagedUnit> units = units(stage.barrier(1));
            assertThat(units).hasSize(2);
            assertThat(collection.rows.documents(units.get(1).dataFile()))
                    .containsExactly(document("a", "{\"n\":1,\"m\":2}"));
            assertThat(stage.changes(units.get(1)))
                    .containsExactly(
                            new KeyChange(
                                    key("a"),
                                    units.get(0).firstRowId(),
                                    units.get(1).firstRowId()));
        }
    }

    @Test
    void aKeyThatChangesTwiceInAUnitIsListedOnce() throws Exception {
        try (StageHarness stage = stage(options(1, 1000)).open()) {
            stage.apply(upsert("a", "{\"n\":1}"));
            stage.apply(upsert("b", "{\"n\":1}"));
            stage.apply(upsert("a", "{\"n\":2}"));
            stage.apply(delete("b"));
            StagedUnit unit = only(stage.barrier(1));
            assertThat(unit.rowCount()).isEqualTo(3);
            assertThat(stage.changes(unit))
                    .containsExactly(new KeyChange(key("a"), null, unit.firstRowId() + 2));
        }
    }

    @Test
    void unitsAreClosedWhenTheyAreFull() throws Exception {
        try (StageHarness stage = stage(options(2, 4)).open()) {
            for (int i = 0; i < 10; i++) {
                stage.apply(upsert("k" + i, "{}"));
            }
            List<StagedUnit> units = units(stage.barrier(1));
            assertThat(units).extracting(StagedUnit::rowCount).containsExactly(4L, 4L, 2L);
            assertThat(units.get(1).firstRowId()).isEqualTo(units.get(0).firstRowId() + 4);
        }
    }

    @Test
    void everythingIsStagedAtTheEndOfInput() throws Exception {
        try (StageHarness stage = stage(ROOMY).open()) {
            stage.apply(upsert("a", "{}"));
            stage.finish();
            only(stage.out());
            assertThat(stage.barrier(1)).isEmpty();
        }
    }

    @Test
    void aSchemaViolationBecomesALetter() throws Exception {
        try (StageHarness stage = stage(ROOMY).open()) {
            stage.apply(upsert("a", "{\"n\":\"text\"}"));
            stage.apply(upsert("b", "{\"n\":1}"));
            StagedUnit unit = only(stage.barrier(1));
            assertThat(stage.letters(unit))
                    .singleElement()
                    .satisfies(letter -> assertThat(letter.reason()).startsWith("schema: n: "));
            assertThat(unit.rowCount()).isEqualTo(1);
        }
    }

    @Test
    void aDocumentNoSplitCanHoldBecomesALetter() throws Exception {
        List<Field> fields = new ArrayList<>(schema(1, "n").fields());
        fields.add(new Field("k", "k", new FieldKind.Keyword(), true, false, true));
        CollectionSchema next =
                new CollectionSchema(
                        2, fields, List.of(), List.of(), Dynamic.IGNORE, 1000, Map.of());
        collection.metastore.updateSchema(collection.info.id(), 1, next);
        try (StageHarness stage = stage(ROOMY).open()) {
            stage.apply(upsert("a", "{\"k\":\"" + "x".repeat(65_531) + "\"}"));
            stage.apply(upsert("b", "{\"k\":\"x\"}"));
            StagedUnit unit = only(stage.barrier(1));
            assertThat(stage.letters(unit))
                    .singleElement()
                    .satisfies(
                            letter ->
                                    assertThat(letter.reason())
                                            .isEqualTo(
                                                    "schema: k: a term of more than 65530 bytes"));
            assertThat(collection.rows.documents(unit.dataFile()))
                    .containsExactly(document("b", "{\"k\":\"x\"}"));
        }
    }

    @Test
    void aNewerSchemaIsSeenBeforeAnythingIsTurnedAway() throws Exception {
        try (StageHarness stage = stage(options(1, 1000)).open()) {
            stage.apply(upsert("a", "{\"m\":\"text\"}"));
            collection.metastore.updateSchema(collection.info.id(), 1, schema(2, "n", "m"));
            stage.apply(upsert("b", "{\"m\":\"text\"}"));
            stage.apply(upsert("c", "{\"m\":1}"));
            List<StagedUnit> units = units(stage.barrier(1));
            assertThat(units).extracting(StagedUnit::schemaVersion).containsExactly(1L, 2L);
            assertThat(stage.letters(units.get(1))).hasSize(1);
            assertThat(units.get(1).rowCount()).isEqualTo(1);
        }
    }

    @Test
    void aFailedUploadFailsTheCheckpoint() throws Exception {
        FaultPlan plan = FaultPlan.scripted();
        collection.wrapObjects(new FailingObjectStore(collection.memory, plan));
        try (StageHarness stage = stage(ROOMY).open()) {
            plan.once("staged/", FaultPlan.Fault.BEFORE);
            stage.apply(upsert("a", "{}"));
            assertThatThrownBy(() -> stage.barrier(1))
                    .hasMessageContaining("a unit could not be staged");
        }
    }

    @Test
    void aCompletedCheckpointDoesNotFailForAReadThatCanWait() throws Exception {
        FaultPlan plan = FaultPlan.scripted();
        collection.wrapObjects(new FailingObjectStore(collection.memory, plan));
        try (StageHarness stage = stage(options(1, 1)).open()) {
            for (int i = 0; i < 70; i++) {
                stage.apply(upsert("k" + i, "{}"));
            }
            List<StagedUnit> units = units(stage.barrier(1));
            long row = units.get(69).firstRowId();
            publish("c1", INCARNATION, 1, Map.of(row, document("k69", "{}")));
            plan.once("get", FaultPlan.Fault.BEFORE);
            stage.complete(1);
            assertThat(stage.uncommittedUnits()).isEqualTo(70);
            stage.complete(2);
            assertThat(stage.uncommittedUnits()).isZero();
        }
    }

    @Test
    void restoredStateIsKeptWhileItsCommitIsPending() throws Exception {
        OperatorSubtaskState state;
        long row;
        try (StageHarness stage = stage(ROOMY).open()) {
            stage.apply(upsert("a", "{\"n\":1}"));
            row = only(stage.barrier(1)).firstRowId();
            state = stage.snapshot(1);
        }
        try (StageHarness stage = stage(ROOMY).restore(state, 1)) {
            stage.apply(patch("a", "{\"m\":1}"));
            List<CollectionElement> out = stage.barrier(2);
            assertThat(out.get(0)).isEqualTo(new StageReport(0, 1, null));
            StagedUnit unit = only(out);
            assertThat(stage.changes(unit))
                    .containsExactly(new KeyChange(key("a"), row, unit.firstRowId()));
            assertThat(unit.firstRowId()).isGreaterThan(row);
            assertThat(collection.rows.documents(unit.dataFile()))
                    .containsExactly(document("a", "{\"n\":1,\"m\":1}"));
        }
    }

    /** A savepoint with a pending commit is restored, and that job fails over before it commits. */
    @Test
    void anInheritedIndexIsKeptOverAFailover() throws Exception {
        Ulid second = new Ulid(78, 1);
        OperatorSubtaskState savepoint;
        long row;
        try (StageHarness stage = stage(ROOMY).open()) {
            stage.apply(upsert("a", "{\"n\":1}"));
            row = only(stage.barrier(1)).firstRowId();
            savepoint = stage.snapshot(1);
        }
        OperatorSubtaskState checkpoint;
        long next;
        try (StageHarness stage =
                new StageHarness(collection, second, ROOMY, 1, 0).restore(savepoint, 1)) {
            stage.apply(upsert("b", "{\"n\":1}"));
            next = only(stage.barrier(2)).firstRowId();
            checkpoint = stage.snapshot(2);
        }
        publish("first", INCARNATION, 1, Map.of(row, document("a", "{\"n\":1}")));
        try (StageHarness stage =
                new StageHarness(collection, second, ROOMY, 1, 0).restore(checkpoint, 2)) {
            assertThat(stage.barrier(3)).containsExactly(new StageReport(0, 1, null));
            assertThat(stage.row("a")).isEqualTo(row);
            assertThat(stage.row("b")).isEqualTo(next);
        }
        publish("second", second, 2, Map.of(next, document("b", "{\"n\":1}")));
        try (StageHarness stage =
                new StageHarness(collection, second, ROOMY, 1, 0).restore(checkpoint, 2)) {
            assertThat(stage.barrier(3)).containsExactly(new StageReport(0, 1, null));
            assertThat(stage.row("b")).isEqualTo(next);
        }
    }

    @Test
    void missedCommitsAreReplayed() throws Exception {
        OperatorSubtaskState state;
        long row;
        try (StageHarness stage = stage(ROOMY).open()) {
            stage.apply(upsert("a", "{\"n\":1}"));
            row = only(stage.barrier(1)).firstRowId();
            state = stage.snapshot(1);
        }
        publish("c1", INCARNATION, 1, Map.of(row, document("a", "{\"n\":1}")));
        publish("c2", new Ulid(5, 5), 9, Map.of(row + 10, document("b", "{\"n\":5}")));
        try (StageHarness stage = stage(ROOMY).restore(state, 1)) {
            assertThat(stage.barrier(2)).containsExactly(new StageReport(0, 1, "c2"));
            assertThat(stage.row("a")).isEqualTo(row);
            assertThat(stage.row("b")).isEqualTo(row + 10);
        }
    }

    @Test
    void withoutStateTheIndexIsRebuilt() throws Exception {
        publish(
                "c1",
                new Ulid(5, 5),
                4,
                Map.of(100L, document("a", "{\"n\":1}"), 101L, document("b", "{\"n\":2}")));
        try (StageHarness stage = stage(ROOMY).open()) {
            stage.apply(patch("b", "{\"m\":1}"));
            List<CollectionElement> out = stage.barrier(1);
            assertThat(out.get(0)).isEqualTo(new StageReport(0, 1, "c1"));
            StagedUnit unit = only(out);
            assertThat(unit.firstRowId()).isGreaterThan(101);
            assertThat(stage.changes(unit))
                    .containsExactly(new KeyChange(key("b"), 101L, unit.firstRowId()));
            assertThat(collection.rows.documents(unit.dataFile()))
                    .containsExactly(document("b", "{\"n\":2,\"m\":1}"));
            assertThat(stage.row("a")).isEqualTo(100);
        }
    }

    @Test
    void aForeignChainReplacesTheIndex() throws Exception {
        OperatorSubtaskState state;
        try (StageHarness stage = stage(ROOMY).open()) {
            stage.apply(upsert("mine", "{}"));
            stage.barrier(1);
            state = stage.snapshot(1);
        }
        publish("other", new Ulid(5, 5), 7, Map.of(100L, document("theirs", "{}")));
        try (StageHarness stage = stage(ROOMY).restore(state, 1)) {
            assertThat(stage.barrier(2)).containsExactly(new StageReport(0, 1, "other"));
            assertThat(stage.row("mine")).isNull();
            assertThat(stage.row("theirs")).isEqualTo(100);
            assertThat(stage.indexSize()).isEqualTo(1);
        }
    }

    @Test
    void eachSubtaskRebuildsItsOwnKeys() throws Exception {
        Map<Long, Document> rows = new java.util.HashMap<>();
        for (long i = 0; i < 50; i++) {
            rows.put(i, document("k" + i, "{}"));
        }
        publish("c1", new Ulid(5, 5), 1, rows);
        int found = 0;
        for (int subtask = 0; subtask < 3; subtask++) {
            try (StageHarness stage = new StageHarness(collection, ROOMY, 3, subtask).open()) {
                assertThat(stage.indexSize()).isBetween(1, 49);
                found += stage.indexSize();
            }
        }
        assertThat(found).isEqualTo(50);
    }

    private void publish(
            String commitId, Ulid incarnation, long checkpoint, Map<Long, Document> rows)
            throws Exception {
        collection.publish(
                new Published(commitId, incarnation, checkpoint, Map.of(), rows, List.of()));
    }

    @Test
    void whatDoesNotCloseDoesNotFailTheTaskManager() throws Exception {
        collection.failToClose();
        StageHarness stage =
                new StageHarness(collection, StageHarness.options(100, 100), 1, 0).open();
        stage.apply(TestCollection.upsert("a", "{\"n\":1}"));
        assertThatCode(stage::close).doesNotThrowAnyException();
    }
}
