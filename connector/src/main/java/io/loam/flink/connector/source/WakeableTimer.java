package io.loam.flink.connector.source;

import java.util.concurrent.TimeUnit;

/** A wait that another thread can end early, also in advance. */
final class WakeableTimer {
    private boolean woken;

    /** Waits until the time is over or somebody wakes it. */
    synchronized void await(long millis) {
        long end = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(millis);
        try {
            for (long left = millis; !woken && left > 0; left = millisUntil(end)) {
                wait(left);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        woken = false;
    }

    private static long millisUntil(long end) {
        return TimeUnit.NANOSECONDS.toMillis(end - System.nanoTime());
    }

    synchronized void wakeUp() {
        woken = true;
        notifyAll();
    }
}
