package io.loam.store.metastore;

import org.postgresql.util.PSQLState;
import org.sqlite.SQLiteErrorCode;
import org.sqlite.SQLiteException;

import javax.annotation.Nullable;

import java.net.SocketTimeoutException;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Properties;
import java.util.Set;

/** What differs between the two databases. */
enum Dialect {
    /**
     * One file on one host. {@code busy_timeout} comes first, because switching to WAL takes a lock
     * that another process may hold. With {@code synchronous=FULL} every commit is forced to disk.
     */
    SQLITE(
            "jdbc:sqlite:",
            "CAST(ROUND(unixepoch('subsec') * 1000) AS INTEGER)",
            "MAX",
            "",
            "SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = ?") {
        @Override
        Connection connect(String url, @Nullable String user, @Nullable String password)
                throws SQLException {
            Properties properties = new Properties();
            properties.setProperty("transaction_mode", "IMMEDIATE");
            Connection connection = new org.sqlite.JDBC().connect(url, properties);
            try (Statement statement = connection.createStatement()) {
                statement.execute("PRAGMA busy_timeout = " + BUSY_TIMEOUT_MS);
                statement.execute("PRAGMA journal_mode = WAL");
                statement.execute("PRAGMA synchronous = FULL");
            } catch (SQLException e) {
                connection.close();
                throw e;
            }
            return connection;
        }

        /** A transaction begins IMMEDIATE, which is lock enough. */
        @Override
        void lockMigrations(Connection connection) {}

        @Override
        boolean singleWriter() {
            return true;
        }

        @Override
        boolean transientConflict(SQLException e) {
            return false;
        }

        @Override
        boolean disconnected(SQLException e) {
            return false;
        }

        @Override
        boolean timedOut(SQLException e) {
            if (!(e instanceof SQLiteException)) {
                return false;
            }
            SQLiteErrorCode code = ((SQLiteException) e).getResultCode();
            int primary = code.code & 0xff;
            return primary == SQLiteErrorCode.SQLITE_BUSY.code
                    || primary == SQLiteErrorCode.SQLITE_LOCKED.code;
        }
    },

    /** A server. Commits wait for the log to be forced, whatever the server's default says. */
    POSTGRESQL(
            "jdbc:postgresql:",
            "CAST(FLOOR(EXTRACT(EPOCH FROM clock_timestamp()) * 1000) AS BIGINT)",
            "GREATEST",
            " FOR UPDATE",
            "SELECT 1 WHERE to_regclass(?) IS NOT NULL") {
        @Override
        Connection connect(String url, @Nullable String user, @Nullable String password)
                throws SQLException {
            Properties properties = new Properties();
            if (user != null) {
                properties.setProperty("user", user);
            }
            if (password != null) {
                properties.setProperty("password", password);
            }
            properties.setProperty("connectTimeout", "10");
            properties.setProperty("socketTimeout", "30");
            properties.setProperty("tcpKeepAlive", "true");
            properties.setProperty("ApplicationName", "loam");
            Connection connection = new org.postgresql.Driver().connect(url, properties);
            try (Statement statement = connection.createStatement()) {
                connection.setTransactionIsolation(Connection.TRANSACTION_READ_COMMITTED);
                statement.execute(
                        "SELECT set_config('synchronous_commit', 'on', false)"
                                + " WHERE current_setting('synchronous_commit')"
                                + " IN ('off', 'local')");
            } catch (SQLException e) {
                connection.close();
                throw e;
            }
            return connection;
        }

        /** CREATE TABLE IF NOT EXISTS alone fails when two run at once. */
        @Override
        void lockMigrations(Connection connection) throws SQLException {
            try (Statement statement = connection.createStatement()) {
                statement.execute("SELECT pg_advisory_xact_lock(" + MIGRATION_LOCK + ")");
            }
        }

        @Override
        boolean singleWriter() {
            return false;
        }

        @Override
        boolean transientConflict(SQLException e) {
            return PSQLState.SERIALIZATION_FAILURE.getState().equals(e.getSQLState())
                    || PSQLState.DEADLOCK_DETECTED.getState().equals(e.getSQLState());
        }

        @Override
        boolean disconnected(SQLException e) {
            String state = e.getSQLState();
            return state != null && (state.startsWith("08") || GOING_AWAY.contains(state));
        }

        @Override
        boolean timedOut(SQLException e) {
            return e.getCause() instanceof SocketTimeoutException
                    || PSQLState.QUERY_CANCELED.getState().equals(e.getSQLState());
        }
    };

    private static final int BUSY_TIMEOUT_MS = 30_000;

    /** An arbitrary number all programs of this kind agree on. */
    private static final long MIGRATION_LOCK = 0x6c6f616d_6d657461L;

    /** Shutdown by an administrator, crash shutdown, not accepting connections yet. */
    private static final Set<String> GOING_AWAY = Set.of("57P01", "57P02", "57P03");

    private final String prefix;
    private final String nowMs;
    private final String greatest;
    private final String forUpdate;
    private final String tableExists;

    Dialect(String prefix, String nowMs, String greatest, String forUpdate, String tableExists) {
        this.prefix = prefix;
        this.nowMs = nowMs;
        this.greatest = greatest;
        this.forUpdate = forUpdate;
        this.tableExists = tableExists;
    }

    static Dialect of(String url) throws MetastoreException {
        for (Dialect dialect : values()) {
            if (url.startsWith(dialect.prefix)) {
                return dialect;
            }
        }
        throw new MetastoreException(
                MetastoreException.Code.INVALID_ARGUMENT,
                "the metastore's URL must start with jdbc:sqlite: or jdbc:postgresql:, not " + url);
    }

    /** The wall clock in ms as an expression that is read when its statement runs. */
    String nowMs() {
        return nowMs;
    }

    /** The wall clock, or the column's value where that is later. */
    String nowMsOr(String column) {
        return greatest + "(" + nowMs + ", " + column + ")";
    }

    /** What to put behind a SELECT so that its rows stay as they are until the commit. */
    String forUpdate() {
        return forUpdate;
    }

    /** A query with one parameter, a table's name, that gives a row if there is such a table. */
    String tableExists() {
        return tableExists;
    }

    /** Opens a connection in auto-commit mode. */
    abstract Connection connect(String url, @Nullable String user, @Nullable String password)
            throws SQLException;

    abstract void lockMigrations(Connection connection) throws SQLException;

    /** Whether writers of one process had better queue up themselves. */
    abstract boolean singleWriter();

    /** The database undid the transaction because of another; it may be run again. */
    abstract boolean transientConflict(SQLException e);

    /** The connection is of no use any more. */
    abstract boolean disconnected(SQLException e);

    abstract boolean timedOut(SQLException e);
}
