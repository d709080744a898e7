package io.loam.flink.connector;

import io.loam.flink.operators.CollectionElement;

import org.apache.flink.api.common.functions.RichMapFunction;
import org.apache.flink.api.common.state.CheckpointListener;

import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;

/** Fails the job once, at the first element after some checkpoints have completed. */
final class FailOnce extends RichMapFunction<CollectionElement, CollectionElement>
        implements CheckpointListener {
    private static final long serialVersionUID = 1L;
    private static final AtomicBoolean ARMED = new AtomicBoolean();
    private static final AtomicInteger FAILURES = new AtomicInteger();
    private static volatile long completed;

    /** The next job fails when {@code checkpoints} have completed. */
    static void arm() {
        completed = 0;
        FAILURES.set(0);
        ARMED.set(true);
    }

    static void disarm() {
        ARMED.set(false);
    }

    static int failures() {
        return FAILURES.get();
    }

    @Override
    public CollectionElement map(CollectionElement element) {
        if (completed >= 2 && ARMED.compareAndSet(true, false)) {
            FAILURES.incrementAndGet();
            throw new IllegalStateException("induced failure");
        }
        return element;
    }

    @Override
    public void notifyCheckpointComplete(long checkpointId) {
        completed++;
    }
}
