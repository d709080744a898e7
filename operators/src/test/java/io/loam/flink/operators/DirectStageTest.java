package io.loam.flink.operators;

import io.loam.codec.key.Partitioner;
import io.loam.codec.manifest.DeadLetter;
import io.loam.codec.staged.KeyChange;
import io.loam.codec.staged.StagedUnit;
import io.loam.flink.operators.CollectionElement.Letter;
import io.loam.flink.operators.CollectionElement.Progress;
import io.loam.store.commit.CommitMode;
import io.loam.store.commit.OffsetRange;
import io.loam.store.spi.StoredRow;

import org.apache.flink.runtime.execution.SuppressRestartsException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.nio.file.Path;
import java.util.List;

import static io.loam.flink.operators.StageHarness.units;
import static io.loam.flink.operators.TestCollection.change;
import static io.loam.flink.operators.TestCollection.delete;
import static io.loam.flink.operators.TestCollection.document;
import static io.loam.flink.operators.TestCollection.key;
import static io.loam.flink.operators.TestCollection.op;
import static io.loam.flink.operators.TestCollection.patch;
import static io.loam.flink.operators.TestCollection.upsert;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** Staging of changes that no log has a place for. */
class DirectStageTest {
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

    private StageHarness stage(CommitMode mode, int batchRecords) throws Exception {
        return new StageHarness(collection, StageHarness.options(mode, batchRecords, 1000), 1, 0)
                .open();
    }

    @Test
    void aRowsPlaceIsItsKeysPartitionAndItsOwnId() throws Exception {
        try (StageHarness stage = stage(CommitMode.DIRECT, 1000)) {
            stage.element(change(upsert("b", "{\"n\":1}")));
            stage.element(change(upsert("a", "{\"n\":2}")));
            stage.element(change(upsert("b", "{\"n\":3}")));
            stage.element(change(patch("b", "{\"m\":4}")));
            stage.element(change(delete("c")));
            List<StagedUnit> units = units(stage.barrier(1));
            assertThat(units).hasSize(1);
            StagedUnit unit = units.get(0);
            List<StoredRow> rows = collection.rows.rows(unit.dataFile(), unit.firstRowId());
            assertThat(rows)
                    .extracting(StoredRow::ingestOffset)
                    .containsExactly(unit.firstRowId(), unit.firstRowId() + 1);
            assertThat(rows)
                    .extracting(StoredRow::ingestPartition)
                    .containsExactly(partition("a"), partition("b"));
            assertThat(collection.rows.documents(unit.dataFile()))
                    .containsExactly(
                            document("a", "{\"n\":2}"), document("b", "{\"n\":3,\"m\":4}"));
            assertThat(stage.changes(unit))
                    .containsExactly(
                            new KeyChange(key("a"), null, unit.firstRowId()),
                            new KeyChange(key("b"), null, unit.firstRowId() + 1));
        }
    }

    private static int partition(String key) {
        return Partitioner.partitionOf(key(key), TestCollection.PARTITIONS);
    }

    @Test
    void lettersGetIdsThatNoRowHasAndLeaveUnitsDense() throws Exception {
        try (StageHarness stage = stage(CommitMode.DIRECT, 2)) {
            stage.element(change(upsert("a", "{\"n\":1}")));
            stage.element(change(upsert("b", "{\"n\":\"text\"}")));
            stage.element(change(upsert("c", "{\"n\":1}")));
            stage.element(
                    new Letter(new DeadLetter(9, 77, null, new byte[] {1}, "undecodable: x")));
            List<StagedUnit> units = units(stage.barrier(1));
            assertThat(units).hasSize(1);
            StagedUnit unit = units.get(0);
            assertThat(unit.rowCount()).isEqualTo(2);
            long end = unit.firstRowId() + (1L << 32);
            assertThat(stage.letters(unit))
                    .extracting(DeadLetter::offset)
                    .containsExactlyInAnyOrder(end - 1, end - 2);
            assertThat(stage.letters(unit))
                    .extracting(DeadLetter::partition)
                    .containsExactlyInAnyOrder(partition("b"), 0);
        }
    }

    @Test
    void eachModeRefusesWhatIsTheOthers() throws Exception {
        try (StageHarness stage = stage(CommitMode.DIRECT, 10)) {
            assertRefused(
                    stage,
                    op(upsert("a", "{}"), 0),
                    "a sink in DIRECT mode takes no Op: it needs changes without offsets");
            assertRefused(
                    stage,
                    new Progress(0, new OffsetRange(0, 1, 0)),
                    "a sink in DIRECT mode takes no Progress");
        }
        try (StageHarness stage = stage(CommitMode.STREAM, 10)) {
            assertRefused(
                    stage,
                    change(upsert("a", "{}")),
                    "a sink in STREAM mode takes no Change: it needs the elements of an"
                            + " ImplicitStreamSource");
        }
    }

    private static void assertRefused(
            StageHarness stage, CollectionElement element, String message) {
        assertThatThrownBy(() -> stage.element(element))
                .isInstanceOf(SuppressRestartsException.class)
                .cause()
                .hasMessageStartingWith(message);
    }
}
