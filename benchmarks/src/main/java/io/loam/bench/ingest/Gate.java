package io.loam.bench.ingest;

import io.loam.bench.RunningJob;

import org.apache.flink.api.connector.source.Boundedness;
import org.apache.flink.api.connector.source.ReaderOutput;
import org.apache.flink.api.connector.source.SourceReader;
import org.apache.flink.api.connector.source.SourceReaderContext;
import org.apache.flink.api.connector.source.lib.NumberSequenceSource;
import org.apache.flink.core.io.InputStatus;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/**
 * Lets a source of this JVM's job emit numbers up to a bound that rises step by step, so that a
 * checkpoint holds as many records as wanted.
 */
final class Gate {
    private static final long POLL_MS = 2;
    private static volatile long bound;
    private static volatile long emitted;
    private static volatile boolean running;

    private Gate() {}

    /** Lets numbers below a bound through, and waits until they are emitted. */
    static void open(long to, RunningJob job) throws Exception {
        bound = to;
        job.await("record " + to + " was emitted", POLL_MS, () -> emitted >= to);
    }

    /** Waits until the job's source runs. */
    static void awaitSource(RunningJob job) throws Exception {
        job.await("its source ran", POLL_MS, () -> running);
    }

    /** A source of the numbers from 0; parallelism 1, never ends. */
    static final class Numbers extends NumberSequenceSource {
        private static final long serialVersionUID = 1L;

        Numbers() {
            super(0, Integer.MAX_VALUE);
        }

        @Override
        public Boundedness getBoundedness() {
            return Boundedness.CONTINUOUS_UNBOUNDED;
        }

        @Override
        public SourceReader<Long, NumberSequenceSplit> createReader(SourceReaderContext context) {
            return new Reader(context);
        }
    }

    private static final class Reader
            implements SourceReader<Long, NumberSequenceSource.NumberSequenceSplit> {
        private final SourceReaderContext context;
        private boolean assigned;
        private long next;

        Reader(SourceReaderContext context) {
            this.context = context;
        }

        @Override
        public void start() {
            context.sendSplitRequest();
        }

        @Override
        public InputStatus pollNext(ReaderOutput<Long> output) {
            if (!assigned || next >= bound) {
                return InputStatus.NOTHING_AVAILABLE;
            }
            output.collect(next++);
            emitted = next;
            return InputStatus.MORE_AVAILABLE;
        }

        @Override
        public CompletableFuture<Void> isAvailable() {
            return assigned && next < bound
                    ? CompletableFuture.completedFuture(null)
                    : CompletableFuture.runAsync(
                            () -> {},
                            CompletableFuture.delayedExecutor(POLL_MS, TimeUnit.MILLISECONDS));
        }

        @Override
        public List<NumberSequenceSource.NumberSequenceSplit> snapshotState(long checkpointId) {
            // A run that fails is no measurement: nothing is restored.
            return List.of();
        }

        @Override
        public void addSplits(List<NumberSequenceSource.NumberSequenceSplit> splits) {
            assigned = true;
            running = true;
        }

        @Override
        public void notifyNoMoreSplits() {}

        @Override
        public void close() {}
    }
}
