package io.loam.store;

import io.loam.codec.Ulid;

import java.security.SecureRandom;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * Makes ULIDs by the metastore's clock, each greater than the one before.
 *
 * <p>The clock is read once and then followed by this machine's monotonic clock, so that making a
 * ULID costs no round trip; every later reading that comes along corrects it. A reading is taken to
 * be of the moment it arrived, so that our time may lag the metastore's by a round trip but does
 * not run ahead of it.
 */
public final class UlidFactory {
    private final LongSupplier nanoTime;
    private final Random random;
    private long offsetMs;
    private Ulid last = new Ulid(0, 0);

    /** Starts from a reading of the metastore's clock that just arrived. */
    public UlidFactory(long metastoreClockMs) {
        this(metastoreClockMs, System::nanoTime, new SecureRandom());
    }

    /** With another monotonic clock and source of randomness, to make the same ULIDs again. */
    public UlidFactory(long metastoreClockMs, LongSupplier nanoTime, Random random) {
        this.nanoTime = nanoTime;
        this.random = random;
        observe(metastoreClockMs);
    }

    /** Takes a reading of the metastore's clock that just arrived. */
    public synchronized void observe(long metastoreClockMs) {
        offsetMs = metastoreClockMs - elapsedMs();
    }

    /** The metastore's clock as far as we know it. */
    public synchronized long timeMs() {
        return offsetMs + elapsedMs();
    }

    /** A fresh ULID of now. */
    public synchronized Ulid next() {
        return nextAt(timeMs());
    }

    /** A fresh ULID of a given time, or of the last one's time if that is later. */
    public synchronized Ulid next(long timeMs) {
        return nextAt(timeMs);
    }

    private Ulid nextAt(long timeMs) {
        last = timeMs > last.timeMs() ? drawn(timeMs) : following(last);
        return last;
    }

    private Ulid drawn(long timeMs) {
        return Ulid.of(timeMs, random.nextInt(1 << 16), random.nextLong());
    }

    /** One more than the given one; the carry may reach the time, which stays ascending. */
    private static Ulid following(Ulid ulid) {
        long low = ulid.low() + 1;
        return new Ulid(low == 0 ? ulid.high() + 1 : ulid.high(), low);
    }

    private long elapsedMs() {
        return TimeUnit.NANOSECONDS.toMillis(nanoTime.getAsLong());
    }
}
