package io.loam.store.metastore;

import io.loam.store.metastore.MetastoreException.Code;
import io.loam.store.retry.Retry;
import io.loam.store.retry.RetryOptions;

import javax.annotation.Nullable;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Runs work on the database and tells what became of it.
 *
 * <p>A command is one transaction. It is run again, after a short pause, when the database undid it
 * because of another transaction, or when a kept connection turns out to be dead before the commit
 * was asked for; in neither case has it taken effect. Once the commit was asked for and not
 * answered, nobody knows, and the error says so.
 */
final class Transactions {
    /** Two that met once shall not meet again; nobody waits longer than 155 ms in all. */
    private static final RetryOptions CONFLICTS = new RetryOptions(6, 5, 100);

    private final Dialect dialect;
    private final String url;
    private final ConnectionPool pool;
    private final Retry retry = Retry.of(CONFLICTS);
    private final ReentrantLock writers = new ReentrantLock(true);

    Transactions(Dialect dialect, String url, @Nullable String user, @Nullable String password) {
        this.dialect = dialect;
        this.url = withoutParameters(url);
        this.pool = new ConnectionPool(dialect, url, user, password);
    }

    /** Parameters may hold a password, which has no business in a message. */
    private static String withoutParameters(String url) {
        int parameters = url.indexOf('?');
        return parameters < 0 ? url : url.substring(0, parameters);
    }

    /** Runs one SELECT. */
    <T> T read(SqlWork<T> work) throws MetastoreException {
        return retrying(work, false);
    }

    /** Runs one transaction. */
    <T> T write(SqlWork<T> work) throws MetastoreException {
        if (!dialect.singleWriter()) {
            return retrying(work, true);
        }
        writers.lock();
        try {
            return retrying(work, true);
        } finally {
            writers.unlock();
        }
    }

    private <T> T retrying(SqlWork<T> work, boolean transaction) throws MetastoreException {
        Retry.Attempts attempts = retry.begin("a command of metastore " + url);
        while (true) {
            Attempt state = new Attempt();
            try {
                return once(work, transaction, state);
            } catch (SQLException e) {
                if (!state.mayRetry(e) || !attempts.again(e)) {
                    throw unknown(e);
                }
            }
        }
    }

    /** How far an attempt came. */
    private final class Attempt {
        private boolean reusedConnection;
        private boolean commitAsked;

        boolean mayRetry(SQLException e) {
            return !commitAsked
                    && (dialect.transientConflict(e)
                            || reusedConnection && dialect.disconnected(e));
        }
    }

    private <T> T once(SqlWork<T> work, boolean transaction, Attempt state)
            throws SQLException, MetastoreException {
        ConnectionPool.Borrowed borrowed = pool.borrow();
        state.reusedConnection = borrowed.reused();
        Connection connection = borrowed.connection();
        boolean healthy = false;
        try {
            T result = transaction ? commit(connection, work, state) : work.run(connection);
            healthy = true;
            return result;
        } catch (MetastoreException e) {
            healthy = !transaction || rolledBack(connection, e);
            throw e;
        } catch (SQLException e) {
            healthy = !state.commitAsked && !dialect.disconnected(e) && usable(connection, e);
            throw e;
        } finally {
            pool.giveBack(borrowed, healthy);
        }
    }

    private static <T> T commit(Connection connection, SqlWork<T> work, Attempt state)
            throws SQLException, MetastoreException {
        connection.setAutoCommit(false);
        T result = work.run(connection);
        state.commitAsked = true;
        connection.commit();
        connection.setAutoCommit(true);
        return result;
    }

    private static boolean usable(Connection connection, Exception failure) throws SQLException {
        return connection.getAutoCommit() || rolledBack(connection, failure);
    }

    private static boolean rolledBack(Connection connection, Exception failure) {
        try {
            connection.rollback();
            connection.setAutoCommit(true);
            return true;
        } catch (SQLException e) {
            failure.addSuppressed(e);
            return false;
        }
    }

    private MetastoreException unknown(SQLException e) {
        return new MetastoreException(
                dialect.timedOut(e) ? Code.TIMEOUT : Code.UNAVAILABLE,
                "metastore " + url + ": " + e.getMessage(),
                e);
    }

    void close() {
        pool.close();
    }
}
