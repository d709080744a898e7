package io.loam.flink.operators;

import io.loam.codec.manifest.DeadLetter;
import io.loam.store.CollectionHandle;
import io.loam.store.testing.FailingObjectStore;
import io.loam.store.testing.FaultPlan;
import io.loam.store.testing.FaultPlan.Fault;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** Whoever hands work to a worker that fails is told, at whatever moment it fails. */
class UnitWorkerTest {
    private static final int RACES = 200;

    @TempDir Path directory;
    private TestCollection collection;
    private final FaultPlan faults = FaultPlan.scripted();

    @BeforeEach
    void open() throws Exception {
        collection = new TestCollection(directory);
    }

    @AfterEach
    void close() throws Exception {
        collection.close();
    }

    private UnitWorker worker() {
        CollectionHandle handle = collection.handle();
        StageOptions options = StageHarness.options(1, 1);
        return new UnitWorker(
                handle,
                new UnitUploader(
                        new FailingObjectStore(collection.memory, faults),
                        handle.paths(),
                        StageHarness.INCARNATION),
                options,
                directory,
                new StageTimes(),
                "worker");
    }

    /** A batch of one dead letter. */
    private SealedBatch batch() {
        DeadLetter letter = new DeadLetter(0, 1, null, new byte[] {1}, "undecodable: so");
        return new SealedBatch(
                collection.handle().schema(), 0, 0, List.of(), List.of(), List.of(letter));
    }

    @Test
    @Timeout(300)
    void everyCallAfterAFailureSaysSo() throws Exception {
        try (UnitWorker worker = worker()) {
            faults.once("put", Fault.BEFORE);
            worker.add(batch());
            assertThatThrownBy(worker::flush).hasMessageContaining("a unit could not be staged");
            assertThatThrownBy(worker::flush).hasMessageContaining("a unit could not be staged");
            assertThatThrownBy(() -> worker.add(batch()))
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining("injected before put");
        }
    }

    /** The flush is handed over just when the thread fails: before, in or after its last look. */
    @Test
    @Timeout(300)
    void aFlushThatMeetsTheFailureIsAnswered() throws Exception {
        ExecutorService flusher = Executors.newSingleThreadExecutor();
        try {
            for (int i = 0; i < RACES; i++) {
                CountDownLatch failing = new CountDownLatch(1);
                faults.rule(
                        operation -> {
                            failing.countDown();
                            return operation.startsWith("put");
                        },
                        use -> true,
                        Fault.BEFORE);
                try (UnitWorker worker = worker()) {
                    worker.add(batch());
                    Future<?> first =
                            flusher.submit(
                                    () -> {
                                        failing.await();
                                        return worker.flush();
                                    });
                    assertThatThrownBy(worker::flush)
                            .hasMessageContaining("a unit could not be staged");
                    assertThatThrownBy(first::get)
                            .hasMessageContaining("a unit could not be staged");
                }
                faults.heal();
            }
        } finally {
            flusher.shutdownNow();
        }
    }
}
