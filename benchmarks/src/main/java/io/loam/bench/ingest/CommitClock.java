package io.loam.bench.ingest;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.concurrent.Callable;

/**
 * Watches from outside when commits become visible, and makes a rate of it: records between two
 * commits over the time between them. The first seconds, in which the JVM compiles, do not count,
 * and neither does the wait of the last records for a checkpoint.
 */
final class CommitClock implements AutoCloseable {
    private static final long POLL_MS = 10;
    private static final long WARM_UP_NANOS = 4_000_000_000L;
    private static final long LONGEST_WAIT_NANOS = 30_000_000_000L;

    private final Callable<OptionalLong> newestCheckpoint;
    private final long longestWaitNanos;
    private final List<long[]> commits = new ArrayList<>();
    private final Thread thread;
    private volatile boolean stopped;
    private volatile Exception failure;

    /**
     * @param newestCheckpoint the checkpoint of the newest commit that a reader would see
     */
    CommitClock(Callable<OptionalLong> newestCheckpoint) {
        this(newestCheckpoint, LONGEST_WAIT_NANOS);
    }

    /**
     * @param longestWaitNanos for the last commit, once the job has ended
     */
    CommitClock(Callable<OptionalLong> newestCheckpoint, long longestWaitNanos) {
        this.newestCheckpoint = newestCheckpoint;
        this.longestWaitNanos = longestWaitNanos;
        this.thread = new Thread(this::watch, "commit-clock");
        thread.setDaemon(true);
        thread.start();
    }

    private void watch() {
        try {
            while (!stopped) {
                look();
                Thread.sleep(POLL_MS);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (Exception e) {
            failure = e;
        }
    }

    private void look() throws Exception {
        OptionalLong newest = newestCheckpoint.call();
        synchronized (commits) {
            if (newest.isPresent() && newest.getAsLong() != newestSeen()) {
                commits.add(new long[] {System.nanoTime(), newest.getAsLong()});
            }
        }
    }

    private long newestSeen() {
        synchronized (commits) {
            return commits.isEmpty() ? -1 : commits.get(commits.size() - 1)[1];
        }
    }

    /**
     * Sees the commit of the last record, however long the system takes to show it, and stops.
     *
     * @throws IllegalStateException if it cannot be seen
     */
    Map<String, Double> finish(long records) throws Exception {
        long deadline = System.nanoTime() + longestWaitNanos;
        while (Emissions.upTo(newestSeen()) < records
                && failure == null
                && System.nanoTime() < deadline) {
            Thread.sleep(POLL_MS);
        }
        close();
        if (failure != null) {
            throw failure;
        }
        if (Emissions.upTo(newestSeen()) < records) {
            throw new IllegalStateException(
                    "the job has ended, and of its "
                            + records
                            + " records the newest commit to be seen, of checkpoint "
                            + newestSeen()
                            + ", holds "
                            + Emissions.upTo(newestSeen()));
        }
        Map<String, Double> values = new LinkedHashMap<>();
        long begin = Emissions.startedNanos();
        long end = commits.get(commits.size() - 1)[0];
        values.put("commits", (double) commits.size());
        values.put("seconds", (end - begin) / 1e9);
        values.put("wholePerSecond", records / ((end - begin) / 1e9));
        values.put("perSecond", steady(begin, records));
        return values;
    }

    private double steady(long begin, long records) {
        long[] first = null;
        long[] last = null;
        for (long[] commit : commits) {
            long emitted = Emissions.upTo(commit[1]);
            if (commit[0] - begin < WARM_UP_NANOS || emitted == 0) {
                continue;
            }
            if (first == null) {
                first = commit;
            } else if (emitted < records) {
                last = commit;
            }
        }
        if (first == null || last == null) {
            // Too short to be steady: everything, the waits included.
            return records / ((commits.get(commits.size() - 1)[0] - begin) / 1e9);
        }
        return (Emissions.upTo(last[1]) - Emissions.upTo(first[1])) / ((last[0] - first[0]) / 1e9);
    }

    /** Lets a look under way end: interrupted, it might close what it reads. */
    @Override
    public void close() throws InterruptedException {
        stopped = true;
        thread.join();
    }
}
