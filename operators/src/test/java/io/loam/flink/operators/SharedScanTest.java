package io.loam.flink.operators;

import io.loam.codec.key.PrimaryKey;
import io.loam.codec.testing.Campaign;
import io.loam.store.repair.IndexRebuild;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** Every subtask gets all entries it owns, whoever comes when, and none of another's. */
@Timeout(600)
class SharedScanTest {
    private static final int KEYS = 40_000;
    private final ExecutorService threads = Executors.newCachedThreadPool();
    private Object name;

    @BeforeEach
    void nameOfItsOwn() {
        name = new Object();
    }

    @AfterEach
    void stop() {
        threads.shutdownNow();
    }

    private static int owner(PrimaryKey key, int subtasks) {
        return Math.floorMod(key.hashCode(), subtasks);
    }

    /** Key i is row i and lies in part i modulo the parts. */
    private static long read(int part, int parts, IndexRebuild.Sink sink) throws IOException {
        long rows = 0;
        for (int i = part; i < KEYS; i += parts) {
            sink.put(PrimaryKey.ofU64(i), i);
            rows++;
        }
        return rows;
    }

    private long run(
            int subtask, int subtasks, SharedScan.Reader reader, Map<PrimaryKey, Long> into)
            throws IOException {
        return SharedScan.run(
                name, subtask, subtasks, key -> owner(key, subtasks), reader, into::put);
    }

    private static void assertOwn(int subtask, int subtasks, Map<PrimaryKey, Long> index) {
        Map<PrimaryKey, Long> expected = new HashMap<>();
        for (int i = 0; i < KEYS; i++) {
            PrimaryKey key = PrimaryKey.ofU64(i);
            if (owner(key, subtasks) == subtask) {
                expected.put(key, (long) i);
            }
        }
        assertThat(index).isEqualTo(expected);
    }

    @Test
    void aSubtaskAloneReadsAll() throws IOException {
        Map<PrimaryKey, Long> index = new HashMap<>();
        assertThat(run(2, 5, SharedScanTest::read, index)).isEqualTo(KEYS);
        assertOwn(2, 5, index);
    }

    @Test
    void subtasksThatBeginTogetherReadEachPartOnce() throws Exception {
        int subtasks = 4;
        CountDownLatch begun = new CountDownLatch(subtasks);
        AtomicInteger reads = new AtomicInteger();
        List<Map<PrimaryKey, Long>> indexes = new ArrayList<>();
        List<Future<Long>> running = new ArrayList<>();
        for (int i = 0; i < subtasks; i++) {
            int subtask = i;
            Map<PrimaryKey, Long> index = new HashMap<>();
            indexes.add(index);
            running.add(
                    threads.submit(
                            () ->
                                    run(
                                            subtask,
                                            subtasks,
                                            (part, parts, sink) -> {
                                                reads.incrementAndGet();
                                                // Nobody reads before all are members.
                                                awaitAll(begun);
                                                return read(part, parts, sink);
                                            },
                                            index)));
        }
        long rows = 0;
        for (Future<Long> one : running) {
            rows += one.get();
        }
        for (int i = 0; i < subtasks; i++) {
            assertOwn(i, subtasks, indexes.get(i));
        }
        // The first members took their part before the last one came, who reads those again.
        assertThat(reads.get()).isLessThanOrEqualTo(2 * subtasks - 1);
        assertThat(rows).isLessThan(2L * KEYS);
    }

    private static void awaitAll(CountDownLatch begun) throws IOException {
        try {
            begun.countDown();
            begun.await();
        } catch (InterruptedException e) {
            throw new IOException(e);
        }
    }

    @Test
    void whoeverComesWhenGetsAllOfItsOwn() throws Exception {
        Random random = new Random(Campaign.seed());
        for (int round = 0; round < Campaign.size(10, 200); round++) {
            name = new Object();
            int subtasks = 1 + random.nextInt(5);
            List<Map<PrimaryKey, Long>> indexes = new ArrayList<>();
            List<Future<Long>> running = new ArrayList<>();
            for (int i = 0; i < subtasks; i++) {
                int subtask = i;
                long late = random.nextInt(8);
                Map<PrimaryKey, Long> index = new HashMap<>();
                indexes.add(index);
                running.add(
                        threads.submit(
                                () -> {
                                    Thread.sleep(late);
                                    return run(subtask, subtasks, SharedScanTest::read, index);
                                }));
            }
            for (int i = 0; i < subtasks; i++) {
                running.get(i).get();
                assertOwn(i, subtasks, indexes.get(i));
            }
        }
    }

    @Test
    void whatOneCouldNotReadTheOtherReads() throws Exception {
        CountDownLatch bothThere = new CountDownLatch(2);
        Set<Integer> failed = new HashSet<>();
        Map<PrimaryKey, Long> index = new HashMap<>();
        Future<Long> failing =
                threads.submit(
                        () ->
                                run(
                                        0,
                                        2,
                                        (part, parts, sink) -> {
                                            awaitAll(bothThere);
                                            failed.add(part);
                                            sink.put(PrimaryKey.ofU64(part), part);
                                            throw new IOException("a part is gone");
                                        },
                                        new HashMap<>()));
        Future<Long> other =
                threads.submit(
                        () ->
                                run(
                                        1,
                                        2,
                                        (part, parts, sink) -> {
                                            if (bothThere.getCount() > 0) {
                                                awaitAll(bothThere);
                                            }
                                            return read(part, parts, sink);
                                        },
                                        index));
        assertThatThrownBy(failing::get)
                .isInstanceOf(ExecutionException.class)
                .hasRootCauseMessage("a part is gone");
        assertThat(other.get()).isEqualTo(KEYS);
        assertThat(failed).hasSize(1);
        assertOwn(1, 2, index);
    }
}
