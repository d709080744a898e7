package io.loam.flink.connector;

import io.loam.flink.operators.CollectionElement;

import org.apache.flink.api.connector.sink2.CommittingSinkWriter;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;

/** Hands staged elements on to the aggregate; all the writing happened before. */
final class PassThroughWriter
        implements CommittingSinkWriter<CollectionElement, CollectionElement> {
    private List<CollectionElement> elements = new ArrayList<>();

    @Override
    public void write(CollectionElement element, Context context) {
        elements.add(element);
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
