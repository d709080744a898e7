package io.loam.store.metastore;

import javax.annotation.Nullable;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;

/** A few connections, opened when needed and kept for the next user. */
final class ConnectionPool {
    private static final int MAX_CONNECTIONS = 8;
    private static final int BORROW_SECONDS = 30;
    private static final int VALIDATION_SECONDS = 5;

    /** A connection unused for longer is tried before it is handed out. */
    private static final long TRUSTED_NANOS = TimeUnit.SECONDS.toNanos(5);

    /** A borrowed connection; {@code reused} if it has served someone before. */
    record Borrowed(Connection connection, boolean reused) {}

    private record Idle(Connection connection, long sinceNanos) {}

    private final Dialect dialect;
    private final String url;
    @Nullable private final String user;
    @Nullable private final String password;
    private final Semaphore permits = new Semaphore(MAX_CONNECTIONS, true);
    private final ConcurrentLinkedDeque<Idle> idle = new ConcurrentLinkedDeque<>();
    private volatile boolean closed;

    ConnectionPool(Dialect dialect, String url, @Nullable String user, @Nullable String password) {
        this.dialect = dialect;
        this.url = url;
        this.user = user;
        this.password = password;
    }

    Borrowed borrow() throws SQLException, MetastoreException {
        takePermit();
        boolean handedOut = false;
        try {
            if (closed) {
                throw new MetastoreException(
                        MetastoreException.Code.UNAVAILABLE, "the metastore has been closed");
            }
            Connection kept = usableIdle();
            Borrowed borrowed =
                    kept != null
                            ? new Borrowed(kept, true)
                            : new Borrowed(dialect.connect(url, user, password), false);
            handedOut = true;
            return borrowed;
        } finally {
            if (!handedOut) {
                permits.release();
            }
        }
    }

    private void takePermit() throws MetastoreException {
        try {
            if (!permits.tryAcquire(BORROW_SECONDS, TimeUnit.SECONDS)) {
                throw new MetastoreException(
                        MetastoreException.Code.TIMEOUT,
                        "no connection to the metastore became free in "
                                + BORROW_SECONDS
                                + " s; all "
                                + MAX_CONNECTIONS
                                + " are busy");
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new MetastoreException(
                    MetastoreException.Code.UNAVAILABLE,
                    "interrupted while waiting for a connection to the metastore",
                    e);
        }
    }

    @Nullable
    private Connection usableIdle() {
        Idle candidate;
        while ((candidate = idle.pollFirst()) != null) {
            if (usable(candidate)) {
                return candidate.connection();
            }
            discard(candidate.connection());
        }
        return null;
    }

    private static boolean usable(Idle candidate) {
        try {
            return System.nanoTime() - candidate.sinceNanos() < TRUSTED_NANOS
                    || candidate.connection().isValid(VALIDATION_SECONDS);
        } catch (SQLException e) {
            return false;
        }
    }

    /** Takes a connection back; one that is not healthy takes the idle ones with it. */
    void giveBack(Borrowed borrowed, boolean healthy) {
        if (healthy) {
            idle.addFirst(new Idle(borrowed.connection(), System.nanoTime()));
        } else {
            discard(borrowed.connection());
            discardIdle();
        }
        permits.release();
        if (closed) {
            discardIdle();
        }
    }

    private void discardIdle() {
        Idle next;
        while ((next = idle.pollFirst()) != null) {
            discard(next.connection());
        }
    }

    private static void discard(Connection connection) {
        try {
            connection.close();
        } catch (SQLException e) {
            // The connection is given up because it is broken; that it cannot even say goodbye
            // changes nothing.
            return;
        }
    }

    /** Closes what is idle now and everything else as it comes back. */
    void close() {
        closed = true;
        discardIdle();
    }
}
