package io.loam.flink.connector.source;

import io.loam.flink.connector.source.CollectionSplit.Kind;

import org.apache.flink.api.connector.source.ReaderInfo;
import org.apache.flink.api.connector.source.SourceEvent;
import org.apache.flink.api.connector.source.SplitEnumeratorContext;
import org.apache.flink.api.connector.source.SplitsAssignment;
import org.apache.flink.metrics.groups.SplitEnumeratorMetricGroup;
import org.junit.jupiter.api.Test;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.function.BiConsumer;

import static org.assertj.core.api.Assertions.assertThat;

/** Which subtask gets what, and when. */
class ScanEnumeratorTest {
    private static final CollectionSplit FILE_1 = CollectionSplit.of(Kind.FILE, 9, 1);
    private static final CollectionSplit FILE_2 = CollectionSplit.of(Kind.FILE, 9, 2);
    private static final CollectionSplit FILE_3 = CollectionSplit.of(Kind.FILE, 9, 3);
    private static final CollectionSplit SHARE_0 = CollectionSplit.changes(9, 0, 2);
    private static final CollectionSplit SHARE_1 = CollectionSplit.changes(9, 1, 2);

    private final Context context = new Context(2);

    /** Takes down what subtasks get: "0 split" or "0 end". */
    private static final class Context implements SplitEnumeratorContext<CollectionSplit> {
        private final int parallelism;
        private final Map<Integer, ReaderInfo> readers = new HashMap<>();
        private final List<String> given = new ArrayList<>();

        Context(int parallelism) {
            this.parallelism = parallelism;
        }

        List<String> taken() {
            List<String> taken = List.copyOf(given);
            given.clear();
            return taken;
        }

        @Override
        public int currentParallelism() {
            return parallelism;
        }

        @Override
        public Map<Integer, ReaderInfo> registeredReaders() {
            return readers;
        }

        @Override
        public void assignSplits(SplitsAssignment<CollectionSplit> assignment) {
            assignment
                    .assignment()
                    .forEach(
                            (subtask, splits) ->
                                    splits.forEach(
                                            split -> given.add(subtask + " " + split.splitId())));
        }

        @Override
        public void signalNoMoreSplits(int subtask) {
            given.add(subtask + " end");
        }

        @Override
        public SplitEnumeratorMetricGroup metricGroup() {
            throw new UnsupportedOperationException("not needed here");
        }

        @Override
        public void sendEventToSourceReader(int subtask, SourceEvent event) {
            throw new UnsupportedOperationException("not needed here");
        }

        @Override
        public <T> void callAsync(Callable<T> callable, BiConsumer<T, Throwable> handler) {
            throw new UnsupportedOperationException("not needed here");
        }

        @Override
        public <T> void callAsync(
                Callable<T> callable, BiConsumer<T, Throwable> handler, long delay, long period) {
            throw new UnsupportedOperationException("not needed here");
        }

        @Override
        public void runInCoordinatorThread(Runnable runnable) {
            throw new UnsupportedOperationException("not needed here");
        }
    }

    private static void register(Context context, ScanEnumerator enumerator, int subtask) {
        context.readers.put(subtask, new ReaderInfo(subtask, "here"));
        enumerator.addReader(subtask);
        enumerator.handleSplitRequest(subtask, null);
    }

    @Test
    void aBoundedScanEnds() {
        ScanEnumerator enumerator =
                new ScanEnumerator(
                        context, new ScanState(false, List.of(FILE_1, FILE_2, FILE_3)), false);
        register(context, enumerator, 0);
        register(context, enumerator, 1);
        enumerator.handleSplitRequest(1, null);
        enumerator.addSplitsBack(List.of(FILE_1), 0);
        assertThat(enumerator.snapshotState(1).open()).containsExactly(FILE_1);
        enumerator.handleSplitRequest(1, null);
        enumerator.handleSplitRequest(1, null);
        assertThat(context.taken())
                .containsExactly("0 9-file-1", "1 9-file-2", "1 9-file-3", "1 9-file-1", "1 end");
    }

    @Test
    void changesWaitForACheckpointAfterTheLastRow() {
        ScanEnumerator enumerator =
                new ScanEnumerator(
                        context,
                        new ScanState(false, List.of(FILE_1, FILE_2, SHARE_0, SHARE_1)),
                        true);
        register(context, enumerator, 0);
        register(context, enumerator, 1);
        assertThat(context.taken()).containsExactly("0 9-file-1", "1 9-file-2");
        enumerator.handleSplitRequest(0, null);
        assertThat(enumerator.snapshotState(1).scanned()).isFalse();
        enumerator.handleSplitRequest(1, null);
        enumerator.notifyCheckpointComplete(1);
        assertThat(context.taken()).isEmpty();
        ScanState second = enumerator.snapshotState(2);
        assertThat(second).isEqualTo(new ScanState(true, List.of(SHARE_0, SHARE_1)));
        enumerator.notifyCheckpointComplete(2);
        assertThat(context.taken()).containsExactly("0 changes-0/2", "1 changes-1/2");
        assertThat(enumerator.snapshotState(3).open()).isEmpty();

        Context restored = new Context(1);
        register(restored, new ScanEnumerator(restored, second, true), 0);
        assertThat(restored.taken()).containsExactly("0 changes-0/2", "0 changes-1/2");
    }

    @Test
    void aSubtaskThatFailsGivesItsRowsBackBeforeChangesGo() {
        ScanEnumerator enumerator =
                new ScanEnumerator(
                        context, new ScanState(false, List.of(FILE_1, SHARE_0, SHARE_1)), true);
        register(context, enumerator, 0);
        register(context, enumerator, 1);
        enumerator.handleSplitRequest(0, null);
        enumerator.snapshotState(1);
        context.readers.remove(0);
        enumerator.addSplitsBack(List.of(FILE_1), 0);
        enumerator.notifyCheckpointComplete(1);
        assertThat(context.taken()).containsExactly("0 9-file-1");
        register(context, enumerator, 0);
        enumerator.handleSplitRequest(0, null);
        enumerator.snapshotState(2);
        enumerator.notifyCheckpointComplete(2);
        assertThat(context.taken()).containsExactly("0 9-file-1", "0 changes-0/2", "1 changes-1/2");
    }

    @Test
    void oneSubtaskGoesOnAtOnce() {
        Context alone = new Context(1);
        ScanEnumerator enumerator =
                new ScanEnumerator(alone, new ScanState(false, List.of(FILE_1, SHARE_0)), true);
        register(alone, enumerator, 0);
        enumerator.handleSplitRequest(0, null);
        assertThat(alone.taken()).containsExactly("0 9-file-1", "0 changes-0/2");
        alone.readers.remove(0);
        enumerator.addSplitsBack(List.of(FILE_1, SHARE_0), 0);
        register(alone, enumerator, 0);
        enumerator.handleSplitRequest(0, null);
        assertThat(alone.taken()).containsExactly("0 9-file-1", "0 changes-0/2");
    }

    @Test
    void aShareWaitsForItsSubtask() {
        ScanEnumerator enumerator =
                new ScanEnumerator(context, new ScanState(true, List.of(SHARE_0, SHARE_1)), true);
        register(context, enumerator, 1);
        assertThat(context.taken()).containsExactly("1 changes-1/2");
        context.readers.remove(1);
        enumerator.addSplitsBack(List.of(SHARE_1), 1);
        register(context, enumerator, 0);
        register(context, enumerator, 1);
        assertThat(context.taken()).containsExactly("0 changes-0/2", "1 changes-1/2");
    }
}
