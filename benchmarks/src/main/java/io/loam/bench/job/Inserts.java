package io.loam.bench.job;

import io.loam.flink.connector.Changes;
import io.loam.flink.operators.CollectionElement;

import org.apache.flink.api.common.functions.MapFunction;

import java.io.IOException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;

/** New documents, one for each number, as fast as they are taken or at a rate; notes when. */
final class Inserts implements MapFunction<Long, CollectionElement> {
    private static final long serialVersionUID = 1L;

    /** How many were asked for in this process since the last reset. */
    static final AtomicLong EMITTED = new AtomicLong();

    /** When each of a job with a rate was asked for, by its number. */
    private static volatile long[] emittedAt = new long[0];

    private final DocumentSource documents;
    private final long firstKey;
    private final double perSecond;
    private transient boolean started;
    private transient long startedNanos;

    private Inserts(DocumentSource documents, long firstKey, double perSecond) {
        this.documents = documents;
        this.firstKey = firstKey;
        this.perSecond = perSecond;
    }

    static Inserts unlimited(DocumentSource documents) {
        EMITTED.set(0);
        return new Inserts(documents, 0, Double.POSITIVE_INFINITY);
    }

    /** Evenly spread over each second; for one subtask. */
    static Inserts limited(DocumentSource documents, long firstKey, double perSecond, int count) {
        EMITTED.set(0);
        emittedAt = new long[count];
        return new Inserts(documents, firstKey, perSecond);
    }

    static long emittedAt(int number) {
        return emittedAt[number];
    }

    @Override
    public CollectionElement map(Long number) throws IOException {
        if (!started) {
            started = true;
            startedNanos = System.nanoTime();
        }
        if (perSecond != Double.POSITIVE_INFINITY) {
            long due = startedNanos + (long) (number * TimeUnit.SECONDS.toNanos(1) / perSecond);
            for (long now = System.nanoTime(); now < due; now = System.nanoTime()) {
                LockSupport.parkNanos(due - now);
            }
            emittedAt[number.intValue()] = System.nanoTime();
        }
        EMITTED.incrementAndGet();
        return Changes.of(documents.insert(firstKey + number));
    }
}
