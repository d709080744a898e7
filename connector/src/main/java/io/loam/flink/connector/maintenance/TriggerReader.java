package io.loam.flink.connector.maintenance;

import org.apache.flink.api.connector.source.ReaderOutput;
import org.apache.flink.api.connector.source.SourceReader;
import org.apache.flink.core.io.InputStatus;

import javax.annotation.Nullable;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/** Gives a number when it is due. */
final class TriggerReader implements SourceReader<Long, NoSplit> {
    @Nullable private final Duration interval;
    private long triggers;
    private long dueNanos = System.nanoTime();

    TriggerReader(@Nullable Duration interval) {
        this.interval = interval;
    }

    @Override
    public void start() {}

    @Override
    public InputStatus pollNext(ReaderOutput<Long> output) {
        if (interval == null) {
            output.collect(triggers++);
            return InputStatus.END_OF_INPUT;
        }
        if (System.nanoTime() - dueNanos >= 0) {
            output.collect(triggers++);
            dueNanos = System.nanoTime() + interval.toNanos();
        }
        return InputStatus.NOTHING_AVAILABLE;
    }

    @Override
    public CompletableFuture<Void> isAvailable() {
        long nanos = dueNanos - System.nanoTime();
        return nanos <= 0
                ? CompletableFuture.completedFuture(null)
                : new CompletableFuture<Void>()
                        .completeOnTimeout(null, nanos, TimeUnit.NANOSECONDS);
    }

    @Override
    public List<NoSplit> snapshotState(long checkpoint) {
        return List.of();
    }

    @Override
    public void addSplits(List<NoSplit> splits) {}

    @Override
    public void notifyNoMoreSplits() {}

    @Override
    public void close() {}
}
