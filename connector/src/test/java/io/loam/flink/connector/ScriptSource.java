package io.loam.flink.connector;

import org.apache.flink.api.common.eventtime.Watermark;
import org.apache.flink.api.connector.source.Boundedness;
import org.apache.flink.api.connector.source.ReaderOutput;
import org.apache.flink.api.connector.source.SourceOutput;
import org.apache.flink.api.connector.source.SourceReader;
import org.apache.flink.api.connector.source.SourceReaderContext;
import org.apache.flink.api.connector.source.lib.NumberSequenceSource;
import org.apache.flink.core.io.InputStatus;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/**
 * Positions in a {@link Script}, in order, for parallelism 1. It waits at the script's end, or ends
 * where the script ended when the source was made. Its position is its state.
 */
final class ScriptSource extends NumberSequenceSource {
    private static final long serialVersionUID = 1L;
    private static final long NEVER = Integer.MAX_VALUE;

    private final String script;
    private final boolean bounded;

    ScriptSource(String script, boolean bounded) {
        super(0, bounded ? Script.size(script) - 1 : NEVER);
        this.script = script;
        this.bounded = bounded;
    }

    @Override
    public Boundedness getBoundedness() {
        return bounded ? Boundedness.BOUNDED : Boundedness.CONTINUOUS_UNBOUNDED;
    }

    @Override
    public SourceReader<Long, NumberSequenceSplit> createReader(SourceReaderContext context) {
        return new Reader(super.createReader(context), script, bounded);
    }

    /** Hands out the numbers below the script's size; a bounded source has no others. */
    private static final class Reader implements SourceReader<Long, NumberSequenceSplit> {
        private static final long POLL_MS = 10;
        private final SourceReader<Long, NumberSequenceSplit> numbers;
        private final String script;
        private final boolean bounded;
        private long next;

        Reader(SourceReader<Long, NumberSequenceSplit> numbers, String script, boolean bounded) {
            this.numbers = numbers;
            this.script = script;
            this.bounded = bounded;
        }

        private boolean isWritten() {
            return bounded || next < Script.size(script);
        }

        @Override
        public void start() {
            numbers.start();
        }

        @Override
        public InputStatus pollNext(ReaderOutput<Long> output) throws Exception {
            return isWritten()
                    ? numbers.pollNext(new Counting(output))
                    : InputStatus.NOTHING_AVAILABLE;
        }

        @Override
        public CompletableFuture<Void> isAvailable() {
            return isWritten()
                    ? numbers.isAvailable()
                    : CompletableFuture.runAsync(
                            () -> {},
                            CompletableFuture.delayedExecutor(POLL_MS, TimeUnit.MILLISECONDS));
        }

        @Override
        public List<NumberSequenceSplit> snapshotState(long checkpointId) {
            return numbers.snapshotState(checkpointId);
        }

        @Override
        public void addSplits(List<NumberSequenceSplit> splits) {
            next = splits.get(0).from();
            numbers.addSplits(splits);
        }

        @Override
        public void notifyNoMoreSplits() {
            numbers.notifyNoMoreSplits();
        }

        @Override
        public void close() throws Exception {
            numbers.close();
        }

        /** Takes note of how far the numbers are. */
        private final class Counting implements ReaderOutput<Long> {
            private final ReaderOutput<Long> output;

            Counting(ReaderOutput<Long> output) {
                this.output = output;
            }

            @Override
            public void collect(Long number) {
                next = number + 1;
                output.collect(number);
            }

            @Override
            public void collect(Long number, long timestamp) {
                next = number + 1;
                output.collect(number, timestamp);
            }

            @Override
            public void emitWatermark(Watermark watermark) {
                output.emitWatermark(watermark);
            }

            @Override
            public void markIdle() {
                output.markIdle();
            }

            @Override
            public void markActive() {
                output.markActive();
            }

            @Override
            public SourceOutput<Long> createOutputForSplit(String splitId) {
                return output.createOutputForSplit(splitId);
            }

            @Override
            public void releaseOutputForSplit(String splitId) {
                output.releaseOutputForSplit(splitId);
            }
        }
    }
}
