package io.loam.flink.connector;

import io.loam.flink.operators.CollectionElement;

import org.apache.flink.api.common.functions.RichMapFunction;
import org.apache.flink.api.common.state.CheckpointListener;
import org.awaitility.Awaitility;

import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;

/** Fails the job once: after some checkpoints have completed, or after some elements. */
final class FailOnce extends RichMapFunction<CollectionElement, CollectionElement>
        implements CheckpointListener {
    private static final long serialVersionUID = 1L;
    private static final AtomicBoolean ARMED = new AtomicBoolean();
    private static final AtomicInteger FAILURES = new AtomicInteger();
    private static final AtomicInteger ELEMENTS = new AtomicInteger();
    private static final AtomicInteger COMPLETED = new AtomicInteger();

    /** The next job fails when some checkpoints have completed. */
    static void arm() {
        COMPLETED.set(0);
        FAILURES.set(0);
        ARMED.set(true);
    }

    /** Waits until the job fails at its next element. */
    static void awaitDue() {
        Awaitility.await().atMost(PipelineTestBase.PATIENCE).until(FailOnce::isDue);
    }

    private static boolean isDue() {
        return COMPLETED.get() >= 2;
    }

    /** The next job fails at its element of this number, checkpoints or not. */
    static void armAfter(int elements) {
        FAILURES.set(0);
        ELEMENTS.set(elements);
    }

    static void disarm() {
        ARMED.set(false);
        ELEMENTS.set(0);
    }

    static int failures() {
        return FAILURES.get();
    }

    @Override
    public CollectionElement map(CollectionElement element) {
        boolean last = ELEMENTS.get() > 0 && ELEMENTS.decrementAndGet() == 0;
        if (last || (isDue() && ARMED.compareAndSet(true, false))) {
            FAILURES.incrementAndGet();
            throw new IllegalStateException("induced failure");
        }
        return element;
    }

    @Override
    public void notifyCheckpointComplete(long checkpointId) {
        COMPLETED.incrementAndGet();
    }
}
