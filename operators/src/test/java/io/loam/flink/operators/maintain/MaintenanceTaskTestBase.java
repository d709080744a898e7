package io.loam.flink.operators.maintain;

import io.loam.store.Warehouse;
import io.loam.store.testing.TestCollection;

import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.runtime.execution.Environment;
import org.apache.flink.streaming.api.operators.AbstractStreamOperator;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;
import org.apache.flink.streaming.runtime.tasks.OneInputStreamTask;
import org.apache.flink.streaming.runtime.tasks.StreamTask;
import org.apache.flink.streaming.runtime.tasks.StreamTaskMailboxTestHarness;
import org.apache.flink.streaming.runtime.tasks.StreamTaskMailboxTestHarnessBuilder;
import org.apache.flink.util.function.FunctionWithException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

import static org.assertj.core.api.Assertions.assertThat;

/** Operators as Flink tasks, on a collection of fakes. */
abstract class MaintenanceTaskTestBase {
    private static final Map<String, Warehouse> OPEN = new ConcurrentHashMap<>();

    @TempDir Path directory;
    TestCollection collection;
    private final List<AutoCloseable> tasks = new ArrayList<>();

    /** Finds the warehouse of this JVM again after a trip through serialization. */
    private record Opener(String id) implements WarehouseOpener {
        private static final long serialVersionUID = 1L;

        @Override
        public Warehouse open() {
            return OPEN.get(id);
        }
    }

    void open(LongSupplier clockMs) throws IOException {
        collection = TestCollection.inMemory(directory, 2, clockMs);
        OPEN.put(directory.toString(), collection.warehouse());
    }

    @AfterEach
    void close() throws Exception {
        for (AutoCloseable task : tasks) {
            task.close();
        }
        collection.close();
    }

    /** The harness does not cut records into buffers, so that one must hold a whole message. */
    static final class TaskBuilder<T> extends StreamTaskMailboxTestHarnessBuilder<T> {
        TaskBuilder(
                FunctionWithException<Environment, ? extends StreamTask<T, ?>, Exception> task,
                TypeInformation<T> output) {
            super(task, output);
            bufferSize = 1 << 16;
        }
    }

    WarehouseOpener opener() {
        return new Opener(directory.toString());
    }

    <T> StreamTaskMailboxTestHarness<T> start(
            StreamTaskMailboxTestHarnessBuilder<T> builder, AbstractStreamOperator<T> operator)
            throws Exception {
        StreamTaskMailboxTestHarness<T> task =
                builder.setupOutputForSingletonOperatorChain(operator).build();
        tasks.add(task);
        return task;
    }

    static <I, T> StreamTaskMailboxTestHarnessBuilder<T> oneInput(
            TypeInformation<I> input, TypeInformation<T> output) {
        return new TaskBuilder<>(OneInputStreamTask::new, output).addInput(input);
    }

    /** Lets a task go on until so many values came out in all. */
    static <T> List<T> await(StreamTaskMailboxTestHarness<T> task, int count) throws Exception {
        long end = System.nanoTime() + TimeUnit.MINUTES.toNanos(5);
        List<T> values = values(task);
        while (values.size() < count) {
            assertThat(System.nanoTime()).as("time for %s values", count).isLessThan(end);
            task.processAll();
            Thread.sleep(1);
            values = values(task);
        }
        return values;
    }

    static <T> List<T> values(StreamTaskMailboxTestHarness<T> task) {
        List<T> values = new ArrayList<>();
        for (Object output : task.getOutput()) {
            if (output instanceof StreamRecord<?> element) {
                @SuppressWarnings("unchecked")
                T value = (T) element.getValue();
                values.add(value);
            }
        }
        return values;
    }

    static void end(StreamTaskMailboxTestHarness<?> task) throws Exception {
        task.endInput();
        task.waitForTaskCompletion();
    }

    static void awaitUninterruptibly(CountDownLatch latch) {
        try {
            latch.await(10, TimeUnit.MINUTES);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
