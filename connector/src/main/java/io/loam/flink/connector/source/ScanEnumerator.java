package io.loam.flink.connector.source;

import org.apache.flink.api.connector.source.SplitEnumerator;
import org.apache.flink.api.connector.source.SplitEnumeratorContext;
import org.apache.flink.api.connector.source.SplitsAssignment;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import javax.annotation.Nullable;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Hands the splits of one version out to whoever asks for work; then, in a scan of changes, shares
 * of the changes to all.
 *
 * <p>A row of the version and a later change of it come from two subtasks, and may overtake each
 * other on the way to whoever works on both. So shares of changes are handed out when a checkpoint
 * is complete that was started after all rows had been emitted; with one subtask, at once.
 */
final class ScanEnumerator implements SplitEnumerator<CollectionSplit, ScanState> {
    private static final Logger LOG = LoggerFactory.getLogger(ScanEnumerator.class);
    private static final long NONE = -1;

    private final SplitEnumeratorContext<CollectionSplit> context;
    private final boolean unbounded;
    private final Deque<CollectionSplit> rows = new ArrayDeque<>();
    private final List<CollectionSplit> changes = new ArrayList<>();

    /** Subtasks that asked for work when there was none. */
    private final Set<Integer> idle = new HashSet<>();

    private boolean changesMayGo;
    private long awaitedCheckpoint = NONE;

    ScanEnumerator(
            SplitEnumeratorContext<CollectionSplit> context, ScanState state, boolean unbounded) {
        this.context = context;
        this.unbounded = unbounded;
        this.changesMayGo = state.scanned();
        state.open().forEach(split -> (split.isChanges() ? changes : rows).add(split));
    }

    @Override
    public void start() {}

    @Override
    public void addReader(int subtask) {
        idle.remove(subtask);
        handOutChanges();
    }

    @Override
    public void handleSplitRequest(int subtask, @Nullable String host) {
        if (!context.registeredReaders().containsKey(subtask)) {
            return; // it failed meanwhile
        }
        CollectionSplit next = rows.poll();
        if (next != null) {
            idle.remove(subtask);
            context.assignSplit(next, subtask);
        } else if (unbounded) {
            idle.add(subtask);
            lookWhetherScanned();
        } else {
            context.signalNoMoreSplits(subtask);
        }
    }

    private boolean isScanned() {
        return rows.isEmpty() && idle.size() == context.currentParallelism();
    }

    private void lookWhetherScanned() {
        if (changesMayGo || !isScanned()) {
            return;
        }
        if (context.currentParallelism() == 1) {
            letChangesGo();
        } else {
            LOG.info("All rows are read; changes follow after the next checkpoint");
        }
    }

    private void letChangesGo() {
        changesMayGo = true;
        handOutChanges();
    }

    /** Shares whose subtask is not there wait for it. */
    private void handOutChanges() {
        if (!changesMayGo) {
            return;
        }
        for (CollectionSplit split : List.copyOf(changes)) {
            int subtask = (int) (split.number() % context.currentParallelism());
            if (context.registeredReaders().containsKey(subtask)) {
                changes.remove(split);
                context.assignSplits(new SplitsAssignment<>(Map.of(subtask, List.of(split))));
            }
        }
    }

    @Override
    public void addSplitsBack(List<CollectionSplit> splits, int subtask) {
        idle.remove(subtask);
        for (CollectionSplit split : splits) {
            if (split.isChanges()) {
                changes.add(split);
            } else {
                rows.addFirst(split);
            }
        }
        if (!rows.isEmpty()) {
            changesMayGo = false;
            awaitedCheckpoint = NONE;
        }
    }

    @Override
    public ScanState snapshotState(long checkpoint) {
        boolean scanned = changesMayGo || isScanned();
        if (!changesMayGo && scanned && awaitedCheckpoint == NONE) {
            awaitedCheckpoint = checkpoint;
        }
        List<CollectionSplit> open = new ArrayList<>(rows);
        open.addAll(changes);
        return new ScanState(scanned, open);
    }

    @Override
    public void notifyCheckpointComplete(long checkpoint) {
        if (awaitedCheckpoint != NONE && checkpoint >= awaitedCheckpoint && isScanned()) {
            letChangesGo();
        }
    }

    @Override
    public void close() {}
}
