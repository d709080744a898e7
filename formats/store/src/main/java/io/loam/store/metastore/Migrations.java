package io.loam.store.metastore;

import io.loam.store.metastore.MetastoreException.Code;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;

/**
 * The metastore's tables, by version. Migration n takes a database from version n - 1 to n, once,
 * in a transaction of its own; table {@code loam_schema_version} has a row for each that was run. A
 * published migration is never changed: new ones are added at the end.
 */
final class Migrations {
    private static final List<String> VERSION_1 =
            List.of(
                    "CREATE TABLE loam_clock ("
                            + "id INTEGER PRIMARY KEY CHECK (id = 1), last_ms BIGINT NOT NULL)",
                    "INSERT INTO loam_clock (id, last_ms) VALUES (1, 0)",
                    "CREATE TABLE loam_sequence ("
                            + "name TEXT PRIMARY KEY, next_id BIGINT NOT NULL)",
                    "INSERT INTO loam_sequence (name, next_id)"
                            + " VALUES ('namespace', 2), ('collection', 1)",
                    "CREATE TABLE loam_namespace ("
                            + "id BIGINT PRIMARY KEY, name TEXT NOT NULL UNIQUE)",
                    "INSERT INTO loam_namespace (id, name) VALUES (1, 'default')",
                    "CREATE TABLE loam_collection ("
                            + "id BIGINT PRIMARY KEY, "
                            + "namespace_id BIGINT NOT NULL REFERENCES loam_namespace (id), "
                            + "name TEXT NOT NULL, "
                            + "topic TEXT NOT NULL, "
                            + "partitions INTEGER NOT NULL, "
                            + "schema_version BIGINT NOT NULL, "
                            + "schema_json TEXT NOT NULL, "
                            + "created_at_ms BIGINT NOT NULL, "
                            + "UNIQUE (namespace_id, name))",
                    "CREATE TABLE loam_pointer ("
                            + "namespace_id BIGINT NOT NULL, "
                            + "pointer_key TEXT NOT NULL, "
                            + "version BIGINT NOT NULL, "
                            + "value TEXT NOT NULL, "
                            + "PRIMARY KEY (namespace_id, pointer_key))",
                    "CREATE TABLE loam_lease ("
                            + "lease_key TEXT PRIMARY KEY, "
                            + "owner TEXT, "
                            + "epoch BIGINT NOT NULL, "
                            + "expires_at_ms BIGINT NOT NULL)",
                    "CREATE TABLE loam_row_id_floor ("
                            + "collection_id BIGINT PRIMARY KEY, next_base BIGINT NOT NULL)",
                    "CREATE TABLE loam_row_id_base ("
                            + "collection_id BIGINT NOT NULL, "
                            + "incarnation TEXT NOT NULL, "
                            + "base BIGINT NOT NULL, "
                            + "PRIMARY KEY (collection_id, incarnation))",
                    "CREATE TABLE loam_retired_path ("
                            + "path TEXT PRIMARY KEY, retired_at_ms BIGINT NOT NULL)");

    private static final List<String> VERSION_2 =
            List.of(
                    "CREATE TABLE loam_topic ("
                            + "collection_id BIGINT PRIMARY KEY, topic_id TEXT NOT NULL)");

    private static final List<String> VERSION_3 =
            List.of(
                    "CREATE TABLE loam_tag ("
                            + "collection_id BIGINT NOT NULL, "
                            + "name TEXT NOT NULL, "
                            + "version BIGINT NOT NULL, "
                            + "path TEXT NOT NULL, "
                            + "description TEXT NOT NULL, "
                            + "created_at_ms BIGINT NOT NULL, "
                            + "expires_at_ms BIGINT, "
                            + "protect INTEGER NOT NULL, "
                            + "PRIMARY KEY (collection_id, name))",
                    "CREATE TABLE loam_version_floor ("
                            + "collection_id BIGINT PRIMARY KEY, floor BIGINT NOT NULL)");

    private static final List<List<String>> ALL = List.of(VERSION_1, VERSION_2, VERSION_3);

    private final Dialect dialect;
    private final Transactions transactions;

    Migrations(Dialect dialect, Transactions transactions) {
        this.dialect = dialect;
        this.transactions = transactions;
    }

    /**
     * Brings the database to the newest version.
     *
     * @throws MetastoreException INVALID_ARGUMENT if it is already newer than this program
     */
    void run() throws MetastoreException {
        int version = transactions.read(this::version);
        while (version < ALL.size()) {
            version = transactions.write(this::runNext);
        }
        if (version > ALL.size()) {
            throw new MetastoreException(
                    Code.INVALID_ARGUMENT,
                    "the metastore has schema version "
                            + version
                            + ", this program knows versions up to "
                            + ALL.size()
                            + "; use a newer release");
        }
    }

    /**
     * Another process may have come first, so the version is read again under the lock; not by
     * asking whether the table exists, which PostgreSQL may answer from what it cached before.
     */
    private int runNext(Connection connection) throws SQLException {
        dialect.lockMigrations(connection);
        try (Statement statement = connection.createStatement()) {
            statement.executeUpdate(
                    "CREATE TABLE IF NOT EXISTS loam_schema_version ("
                            + "version INTEGER PRIMARY KEY, applied_at_ms BIGINT NOT NULL)");
            int version = highest(connection);
            if (version >= ALL.size()) {
                return version;
            }
            for (String sql : ALL.get(version)) {
                statement.executeUpdate(sql);
            }
            statement.executeUpdate(
                    "INSERT INTO loam_schema_version (version, applied_at_ms) VALUES ("
                            + (version + 1)
                            + ", "
                            + dialect.nowMs()
                            + ")");
            return version + 1;
        }
    }

    private int version(Connection connection) throws SQLException {
        try (PreparedStatement exists = connection.prepareStatement(dialect.tableExists())) {
            exists.setString(1, "loam_schema_version");
            try (ResultSet rows = exists.executeQuery()) {
                if (!rows.next()) {
                    return 0;
                }
            }
        }
        return highest(connection);
    }

    private static int highest(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet rows =
                        statement.executeQuery(
                                "SELECT COALESCE(MAX(version), 0) FROM loam_schema_version")) {
            rows.next();
            return rows.getInt(1);
        }
    }
}
