package io.loam.flink.connector;

import io.loam.codec.staged.StagedUnit;
import io.loam.flink.operators.CollectionElement;

import org.apache.flink.api.connector.sink2.CommittingSinkWriter;
import org.apache.flink.metrics.Counter;
import org.apache.flink.metrics.groups.SinkWriterMetricGroup;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;

/**
 * Hands staged elements on to the aggregate; all the writing happened before. Counts what the units
 * hold: keys changed and dead letters as records sent, their objects as bytes sent.
 */
final class PassThroughWriter
        implements CommittingSinkWriter<CollectionElement, CollectionElement> {
    private final Counter records;
    private final Counter bytes;
    private List<CollectionElement> elements = new ArrayList<>();

    PassThroughWriter(SinkWriterMetricGroup metrics) {
        this.records = metrics.getNumRecordsSendCounter();
        this.bytes = metrics.getNumBytesSendCounter();
    }

    @Override
    public void write(CollectionElement element, Context context) {
        elements.add(element);
        if (element instanceof CollectionElement.Unit staged) {
            count(staged.unit());
        }
    }

    private void count(StagedUnit unit) {
        records.inc(unit.keyChanges() + unit.deadLetters());
        bytes.inc(
                unit.dataFileBytes()
                        + (unit.split() == null ? 0 : unit.split().sizeBytes())
                        + unit.keyListBytes()
                        + unit.deadLetterBytes());
    }

    @Override
    public void flush(boolean endOfInput) {}

    @Override
    public Collection<CollectionElement> prepareCommit() {
        List<CollectionElement> committables = elements;
        elements = new ArrayList<>();
        return committables;
    }

    @Override
    public void close() {}
}
