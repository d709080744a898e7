package io.loam.flink.connector;

import io.loam.codec.Ulid;
import io.loam.codec.manifest.SplitRef;
import io.loam.codec.staged.StagedUnit;
import io.loam.flink.operators.CollectionElement;
import io.loam.store.commit.CommitMode;
import io.loam.store.commit.OffsetRange;

import org.apache.flink.metrics.groups.SinkWriterMetricGroup;
import org.apache.flink.runtime.metrics.groups.InternalSinkWriterMetricGroup;
import org.apache.flink.runtime.metrics.groups.UnregisteredMetricGroups;
import org.junit.jupiter.api.Test;

import java.util.List;

import static org.assertj.core.api.Assertions.assertThat;

class PassThroughWriterTest {
    private static final StagedUnit KEYS_ONLY =
            SerializersTest.committable(CommitMode.STREAM).units().get(0);
    private static final StagedUnit WITH_ROWS =
            new StagedUnit(
                    new Ulid(1, 3),
                    3,
                    4,
                    5,
                    6,
                    2,
                    "rows.lance",
                    100,
                    List.of(),
                    new SplitRef(
                            new Ulid(1, 3), 2, 0, 1_000, 900, 1_000, List.of(), "", 4, 3, 0, 0),
                    2,
                    10_000,
                    1,
                    100_000);

    private final SinkWriterMetricGroup metrics =
            InternalSinkWriterMetricGroup.wrap(
                    UnregisteredMetricGroups.createUnregisteredOperatorMetricGroup());
    private final PassThroughWriter writer = new PassThroughWriter(metrics);

    @Test
    void handsEveryElementOnOnce() {
        CollectionElement unit = new CollectionElement.Unit(WITH_ROWS);
        CollectionElement report = new CollectionElement.StageReport(0, 1, null);
        writer.write(report, null);
        writer.write(unit, null);

        assertThat(writer.prepareCommit()).containsExactly(report, unit);
        assertThat(writer.prepareCommit()).isEmpty();
    }

    @Test
    void countsKeysAndLettersAsRecordsAndTheirObjectsAsBytes() {
        writer.write(new CollectionElement.Unit(WITH_ROWS), null);

        assertThat(metrics.getNumRecordsSendCounter().getCount()).isEqualTo(2 + 1);
        assertThat(metrics.getNumBytesSendCounter().getCount()).isEqualTo(111_100);

        writer.write(new CollectionElement.Unit(KEYS_ONLY), null);

        assertThat(metrics.getNumRecordsSendCounter().getCount()).isEqualTo(3 + 9 + 11);
        assertThat(metrics.getNumBytesSendCounter().getCount()).isEqualTo(111_100 + 8 + 10 + 12);
    }

    @Test
    void whatIsNoUnitIsNotCounted() {
        writer.write(new CollectionElement.StageReport(0, 1, null), null);
        writer.write(new CollectionElement.Progress(0, new OffsetRange(0, 5, 0)), null);

        assertThat(metrics.getNumRecordsSendCounter().getCount()).isZero();
        assertThat(metrics.getNumBytesSendCounter().getCount()).isZero();
    }
}
