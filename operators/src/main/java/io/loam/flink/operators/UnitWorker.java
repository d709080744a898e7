package io.loam.flink.operators;

import io.loam.codec.staged.StagedUnit;
import io.loam.store.CollectionHandle;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import javax.annotation.Nullable;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;

/**
 * Builds and uploads units in one thread, from a bounded queue, so that ingestion goes on
 * meanwhile. A failure there reaches the task at its next call; the worker is then of no more use.
 */
final class UnitWorker implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(UnitWorker.class);
    private static final long OFFER_MS = 100;

    /** How long closing waits for a call that cannot be interrupted. */
    private static final long JOIN_MS = 10_000;

    private final CollectionHandle collection;
    private final UnitUploader uploader;
    private final StageOptions options;
    private final Path directory;
    private final StageTimes times;
    private final BlockingQueue<Command> queue;
    private final Thread thread;
    private final long joinMs;
    private final List<StagedUnit> done = new ArrayList<>();
    @Nullable private UnitBuilder open;
    @Nullable private volatile Throwable failure;
    private volatile boolean closing;

    /** What the thread is told. */
    private sealed interface Command {
        record Add(SealedBatch batch) implements Command {}

        record Flush(CompletableFuture<List<StagedUnit>> units) implements Command {}
    }

    UnitWorker(
            CollectionHandle collection,
            UnitUploader uploader,
            StageOptions options,
            Path directory,
            StageTimes times,
            String name) {
        this(collection, uploader, options, directory, times, name, JOIN_MS);
    }

    UnitWorker(
            CollectionHandle collection,
            UnitUploader uploader,
            StageOptions options,
            Path directory,
            StageTimes times,
            String name,
            long joinMs) {
        this.collection = collection;
        this.uploader = uploader;
        this.options = options;
        this.directory = directory;
        this.times = times;
        this.joinMs = joinMs;
        this.queue = new ArrayBlockingQueue<>(options.queuedBatches());
        this.thread = new Thread(this::run, name);
        this.thread.setDaemon(true);
        this.thread.setContextClassLoader(Thread.currentThread().getContextClassLoader());
        this.thread.start();
    }

    /** Hands a batch over; waits while the queue is full. */
    void add(SealedBatch batch) throws IOException, InterruptedException {
        send(new Command.Add(batch));
    }

    /** Closes the open unit and returns every unit uploaded since the last call. */
    List<StagedUnit> flush() throws IOException, InterruptedException {
        CompletableFuture<List<StagedUnit>> units = new CompletableFuture<>();
        send(new Command.Flush(units));
        long started = System.nanoTime();
        try {
            return units.get();
        } catch (ExecutionException e) {
            throw failed(e.getCause());
        } finally {
            times.waitNanos.add(System.nanoTime() - started);
        }
    }

    private void send(Command command) throws IOException, InterruptedException {
        long started = System.nanoTime();
        while (failure == null) {
            if (queue.offer(command, OFFER_MS, TimeUnit.MILLISECONDS)) {
                times.waitNanos.add(System.nanoTime() - started);
                if (failure == null) {
                    return;
                }
                // The thread may have drained the queue just before: nobody would ever answer.
                break;
            }
        }
        throw failed(failure);
    }

    private static IOException failed(Throwable cause) {
        return new IOException("a unit could not be staged: " + cause.getMessage(), cause);
    }

    private void run() {
        Command command = null;
        try {
            while (!closing) {
                command = queue.take();
                if (command instanceof Command.Add add) {
                    add(add);
                } else if (command instanceof Command.Flush flush) {
                    closeUnit();
                    flush.units().complete(new ArrayList<>(done));
                    done.clear();
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt(); // closing
        } catch (Throwable e) {
            fail(command, e);
        } finally {
            abandon();
        }
    }

    /** Errors count, too: whoever waits for an answer must get one. */
    private void fail(@Nullable Command current, Throwable e) {
        failure = e;
        List<Command> waiting = new ArrayList<>();
        if (current != null) {
            waiting.add(current);
        }
        queue.drainTo(waiting);
        for (Command command : waiting) {
            if (command instanceof Command.Flush flush) {
                flush.units().completeExceptionally(e);
            }
        }
    }

    private void add(Command.Add add) throws IOException {
        SealedBatch batch = add.batch();
        if (open != null && !open.isContinuedBy(batch)) {
            closeUnit();
        }
        if (open == null) {
            open = new UnitBuilder(collection, batch.schema(), directory, times);
        }
        open.add(batch);
        times.currentUnitBytes.set(open.bytes());
        if (open.bytes() >= options.unitBytes() || open.rows() >= options.unitRows()) {
            closeUnit();
        }
    }

    private void closeUnit() throws IOException {
        if (open == null) {
            return;
        }
        try (UnitBuilder finishing = open) {
            open = null;
            UnitBuilder.Built built = finishing.finish();
            requireOpen();
            long started = System.nanoTime();
            StagedUnit unit = uploader.upload(built);
            times.uploadNanos.add(System.nanoTime() - started);
            times.rowsWritten.add(unit.rowCount());
            times.unitsStaged.increment();
            times.bytesStaged.add(
                    unit.dataFileBytes() + (unit.split() == null ? 0 : unit.split().sizeBytes()));
            done.add(unit);
        }
        times.currentUnitBytes.set(0);
    }

    /** A call that took no notice of the interrupt may return long after closing. */
    private void requireOpen() throws InterruptedIOException {
        if (closing) {
            throw new InterruptedIOException("the unit is not needed any more");
        }
    }

    /**
     * Stops the thread, which abandons what is not uploaded. A call into native code or an object
     * store may not be interrupted; closing does not wait for it for ever, and the thread cleans up
     * once it returns.
     */
    @Override
    public void close() {
        closing = true;
        thread.interrupt();
        try {
            thread.join(joinMs);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        if (thread.isAlive()) {
            LOG.warn(
                    "the thread {} is still in a call after {} ms, at {}; it ends when that returns",
                    thread.getName(),
                    joinMs,
                    Arrays.toString(thread.getStackTrace()));
        }
    }

    /** Nobody will read an unfinished unit; that it does not close well must not fail the task. */
    private void abandon() {
        try (UnitBuilder unfinished = open) {
            open = null;
        } catch (IOException | RuntimeException e) {
            LOG.warn("an unfinished unit could not be closed", e);
        }
    }
}
