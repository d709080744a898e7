package io.loam.flink.operators;

import io.loam.codec.Ulid;
import io.loam.codec.json.Json;
import io.loam.codec.record.Document;
import io.loam.codec.staged.KeyChange;
import io.loam.store.CollectionHandle;
import io.loam.store.spi.Row;
import io.loam.store.testing.FailingObjectStore;
import io.loam.store.testing.FaultPlan;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

import static io.loam.flink.operators.TestCollection.document;
import static org.assertj.core.api.Assertions.assertThat;

class UnitWorkerCloseTest {
    private static final long JOIN_MS = 50;

    @TempDir Path directory;
    private TestCollection collection;

    @BeforeEach
    void open() throws Exception {
        collection = new TestCollection(directory);
    }

    @AfterEach
    void close() throws Exception {
        collection.close();
    }

    private static SealedBatch batch(CollectionHandle handle) {
        Document document = document("a", "{\"n\":1}");
        return new SealedBatch(
                handle.schema(),
                0,
                100,
                List.of(new Row(document, Json.print(document.source()), 0, 0)),
                List.of(new KeyChange(document.key(), null, 100L)),
                List.of());
    }

    @Test
    void closingDoesNotWaitForACallThatCannotBeInterrupted() throws Exception {
        CountDownLatch uploading = new CountDownLatch(1);
        CountDownLatch answer = new CountDownLatch(1);
        FaultPlan plan = FaultPlan.scripted();
        plan.onceRun(
                ".lance",
                () -> {
                    uploading.countDown();
                    waitUninterrupted(answer);
                });
        collection.wrapObjects(new FailingObjectStore(collection.memory, plan));
        Path units = Files.createDirectory(directory.resolve("units"));
        try (OpenedCollection opened = collection.opener().open()) {
            CollectionHandle handle = opened.collection();
            UnitWorker worker =
                    new UnitWorker(
                            handle,
                            new UnitUploader(handle.objects(), handle.paths(), new Ulid(1, 1)),
                            StageHarness.options(1, 1),
                            units,
                            new StageTimes(),
                            "stuck-units",
                            JOIN_MS);
            worker.add(batch(handle));
            assertThat(uploading.await(5, TimeUnit.MINUTES)).isTrue();
            worker.close();
            assertThat(thread("stuck-units")).isNotNull();
            assertThat(units.toFile().list()).hasSize(1);
            answer.countDown();
            Thread left = thread("stuck-units");
            if (left != null) {
                left.join(TimeUnit.MINUTES.toMillis(5));
            }
            assertThat(thread("stuck-units")).isNull();
            assertThat(units.toFile()).satisfies(UnitWorkerCloseTest::isEmpty);
        }
    }

    private static void isEmpty(File folder) {
        assertThat(folder.list()).isEmpty();
    }

    private static void waitUninterrupted(CountDownLatch latch) {
        while (true) {
            try {
                latch.await();
                return;
            } catch (InterruptedException e) {
                // As native code would, which knows of no interrupts.
            }
        }
    }

    private static Thread thread(String name) {
        return Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> thread.getName().equals(name))
                .findAny()
                .orElse(null);
    }
}
