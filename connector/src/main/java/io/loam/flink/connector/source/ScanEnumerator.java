package io.loam.flink.connector.source;

import org.apache.flink.api.connector.source.SplitEnumerator;
import org.apache.flink.api.connector.source.SplitEnumeratorContext;

import javax.annotation.Nullable;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;

/** Hands the splits of one version out to whoever asks for work. */
final class ScanEnumerator implements SplitEnumerator<CollectionSplit, ScanState> {
    private final SplitEnumeratorContext<CollectionSplit> context;
    private final Deque<CollectionSplit> open;

    ScanEnumerator(SplitEnumeratorContext<CollectionSplit> context, ScanState state) {
        this.context = context;
        this.open = new ArrayDeque<>(state.open());
    }

    @Override
    public void start() {}

    @Override
    public void handleSplitRequest(int subtask, @Nullable String host) {
        if (!context.registeredReaders().containsKey(subtask)) {
            return; // it failed meanwhile
        }
        CollectionSplit next = open.poll();
        if (next == null) {
            context.signalNoMoreSplits(subtask);
        } else {
            context.assignSplit(next, subtask);
        }
    }

    @Override
    public void addSplitsBack(List<CollectionSplit> splits, int subtask) {
        splits.forEach(open::addFirst);
    }

    @Override
    public void addReader(int subtask) {}

    @Override
    public ScanState snapshotState(long checkpoint) {
        return new ScanState(List.copyOf(open));
    }

    @Override
    public void close() {}
}
