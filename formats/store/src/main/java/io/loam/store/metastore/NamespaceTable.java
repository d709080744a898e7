package io.loam.store.metastore;

import io.loam.store.metastore.MetastoreException.Code;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;

/** Namespaces, and the ids they and collections count up, which are never used again. */
final class NamespaceTable {
    /** The namespace that is always there. */
    static final String DEFAULT = "default";

    private static final String SELECT = "SELECT id FROM loam_namespace WHERE name = ?";

    private final String selectForUpdate;

    NamespaceTable(Dialect dialect) {
        this.selectForUpdate = SELECT + dialect.forUpdate();
    }

    long create(Connection connection, String name) throws SQLException, MetastoreException {
        long id = nextId(connection, "namespace");
        try (PreparedStatement insert =
                connection.prepareStatement(
                        "INSERT INTO loam_namespace (id, name) VALUES (?, ?)"
                                + " ON CONFLICT DO NOTHING")) {
            insert.setLong(1, id);
            insert.setString(2, name);
            if (insert.executeUpdate() == 0) {
                throw new MetastoreException(
                        Code.NAMESPACE_EXISTS, "namespace " + name + " exists already");
            }
        }
        return id;
    }

    /** Ids are handed out once, to whoever commits; the row's lock orders the askers. */
    static long nextId(Connection connection, String sequence) throws SQLException {
        try (PreparedStatement update =
                connection.prepareStatement(
                        "UPDATE loam_sequence SET next_id = next_id + 1 WHERE name = ?"
                                + " RETURNING next_id - 1")) {
            update.setString(1, sequence);
            try (ResultSet row = update.executeQuery()) {
                if (!row.next()) {
                    throw new SQLException("table loam_sequence has lost its row " + sequence);
                }
                return row.getLong(1);
            }
        }
    }

    List<String> names(Connection connection) throws SQLException {
        List<String> names = new ArrayList<>();
        try (Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery("SELECT name FROM loam_namespace")) {
            while (rows.next()) {
                names.add(rows.getString(1));
            }
        }
        names.sort(null);
        return names;
    }

    long require(Connection connection, String name) throws SQLException, MetastoreException {
        return id(connection, SELECT, name).orElseThrow(() -> missing(name));
    }

    /** With the row locked, so that creations in one namespace come one after the other. */
    long requireLocked(Connection connection, String name) throws SQLException, MetastoreException {
        return id(connection, selectForUpdate, name).orElseThrow(() -> missing(name));
    }

    /** Drops one without collections, which is locked. */
    static void drop(Connection connection, long id) throws SQLException {
        for (String table :
                List.of("loam_pointer WHERE namespace_id = ?", "loam_namespace WHERE id = ?")) {
            try (PreparedStatement delete = connection.prepareStatement("DELETE FROM " + table)) {
                delete.setLong(1, id);
                delete.executeUpdate();
            }
        }
    }

    static MetastoreException missing(String name) {
        return new MetastoreException(
                Code.NAMESPACE_NOT_FOUND, "there is no namespace \"" + name + "\"");
    }

    private static OptionalLong id(Connection connection, String sql, String name)
            throws SQLException {
        try (PreparedStatement query = connection.prepareStatement(sql)) {
            query.setString(1, name);
            try (ResultSet row = query.executeQuery()) {
                return row.next() ? OptionalLong.of(row.getLong(1)) : OptionalLong.empty();
            }
        }
    }
}
