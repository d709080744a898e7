package io.loam.bench.job;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The most memory this process has held, heap and native together: anonymous pages as Linux counts
 * them, without those of mapped files, which are the page cache's. Looks four times a second.
 */
final class ResidentMemory implements AutoCloseable {
    private static final Path STATUS = Path.of("/proc/self/status");
    private static final String ANONYMOUS = "RssAnon:";
    private static final int KIB = 1024;
    private static final long EVERY_MS = 250;

    private final AtomicLong most = new AtomicLong();
    private final AtomicLong mostHeap = new AtomicLong();
    private final Thread thread = new Thread(this::watch, "resident-memory");

    /**
     * @throws IOException if memory cannot be told
     */
    ResidentMemory() throws IOException {
        look();
        thread.setDaemon(true);
        thread.start();
    }

    /** Forgets what was before. */
    void reset() throws IOException {
        most.set(0);
        mostHeap.set(0);
        look();
    }

    private void look() throws IOException {
        long heap = ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getCommitted();
        most.accumulateAndGet(anonymous(), Math::max);
        mostHeap.accumulateAndGet(heap, Math::max);
    }

    long bytes() {
        return most.get();
    }

    /** The most heap that was committed at a time. */
    long heapBytes() {
        return mostHeap.get();
    }

    private void watch() {
        try {
            while (true) {
                look();
                TimeUnit.MILLISECONDS.sleep(EVERY_MS);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt(); // closed
        } catch (IOException e) {
            throw new IllegalStateException(STATUS + " cannot be read", e);
        }
    }

    private static long anonymous() throws IOException {
        for (String line : Files.readAllLines(STATUS)) {
            if (line.startsWith(ANONYMOUS)) {
                return Long.parseLong(line.replaceAll("[^0-9]", "")) * KIB;
            }
        }
        throw new IOException(STATUS + " has no " + ANONYMOUS);
    }

    @Override
    public void close() {
        thread.interrupt();
    }
}
