package io.loam.flink.connector.source;

import org.apache.flink.api.common.functions.RichMapFunction;
import org.apache.flink.api.common.state.CheckpointListener;
import org.apache.flink.api.common.state.ListState;
import org.apache.flink.api.common.state.ListStateDescriptor;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.runtime.state.FunctionInitializationContext;
import org.apache.flink.runtime.state.FunctionSnapshotContext;
import org.apache.flink.streaming.api.checkpoint.CheckpointedFunction;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

/** Keeps all lines in state, so that it has each as often as the checkpoints say it came. */
final class KeptLines extends RichMapFunction<String, String>
        implements CheckpointedFunction, CheckpointListener {
    private static final long serialVersionUID = 1L;
    private static final AtomicInteger FAILURES = new AtomicInteger();
    private static volatile List<String> lines = List.of();
    private static volatile int failAt;

    private transient List<String> kept;
    private transient ListState<String> state;
    private transient boolean checkpointed;

    /** The lines so far, of the attempt that runs. */
    static List<String> lines() {
        return lines;
    }

    static void reset() {
        lines = List.of();
        failAt = 0;
        FAILURES.set(0);
    }

    /** Fails once, when so many lines are there and a checkpoint was made. */
    static void failAt(int count) {
        failAt = count;
    }

    static int failures() {
        return FAILURES.get();
    }

    @Override
    public void initializeState(FunctionInitializationContext context) throws Exception {
        state =
                context.getOperatorStateStore()
                        .getListState(new ListStateDescriptor<>("lines", Types.STRING));
        kept = new ArrayList<>();
        state.get().forEach(kept::add);
        lines = List.copyOf(kept);
    }

    @Override
    public String map(String line) {
        kept.add(line);
        lines = List.copyOf(kept);
        if (failAt > 0 && kept.size() >= failAt && checkpointed) {
            failAt = 0;
            FAILURES.incrementAndGet();
            throw new IllegalStateException("induced failure");
        }
        return line;
    }

    @Override
    public void snapshotState(FunctionSnapshotContext context) throws Exception {
        state.update(kept);
    }

    @Override
    public void notifyCheckpointComplete(long checkpoint) {
        checkpointed = true;
    }
}
