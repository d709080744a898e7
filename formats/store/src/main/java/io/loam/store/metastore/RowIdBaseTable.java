package io.loam.store.metastore;

import io.loam.codec.Ulid;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.OptionalLong;

/**
 * Row-id bases, unsigned. {@code loam_row_id_floor} holds per collection the least base not yet
 * handed out, {@code loam_row_id_base} the base each incarnation has.
 *
 * <p>A collection may be written by a new job every minute, so bases of jobs long gone are
 * forgotten. One that comes back nevertheless gets a new base, which is what it gets anyhow once
 * others have published. A job must not lose its base between two of its subtasks, which have to
 * get the same; a month is longer than any job stages units before it publishes them, as those are
 * collected as garbage before.
 */
final class RowIdBaseTable {
    private static final int ARENA_BITS = 32;

    /** Bases are kept of so many jobs at least, and of all that were submitted within this time. */
    static final int KEPT = 100;

    static final long KEPT_MS = 30L * 24 * 60 * 60 * 1000;

    private final String lockFloor;

    RowIdBaseTable(Dialect dialect) {
        this.lockFloor =
                "SELECT next_base FROM loam_row_id_floor WHERE collection_id = ?"
                        + dialect.forUpdate();
    }

    long base(Connection connection, long collectionId, Ulid incarnation, long arena, long floor)
            throws SQLException, MetastoreException {
        if (arena < 0 || arena >>> ARENA_BITS != 0) {
            throw Arguments.invalid("an arena is 0..2^32-1, not " + Long.toUnsignedString(arena));
        }
        long next = lockedNextBase(connection, collectionId);
        OptionalLong given = given(connection, collectionId, incarnation);
        if (given.isPresent() && reaches(given.getAsLong(), arena, floor)) {
            return given.getAsLong();
        }
        long base = Long.compareUnsigned(floor, next) > 0 ? floor : next;
        if (!reaches(base, arena, base)) {
            throw Arguments.invalid(
                    "the row ids of collection "
                            + collectionId
                            + " are used up: arena "
                            + arena
                            + " above base "
                            + Long.toUnsignedString(base)
                            + " exceeds 64 bits");
        }
        store(connection, collectionId, incarnation, base);
        return base;
    }

    /** Whether the arena's first row id exists and is not below the floor. */
    private static boolean reaches(long base, long arena, long floor) {
        long first = base + (arena << ARENA_BITS);
        return Long.compareUnsigned(first, base) >= 0 && Long.compareUnsigned(first, floor) >= 0;
    }

    private long lockedNextBase(Connection connection, long collectionId) throws SQLException {
        try (PreparedStatement insert =
                connection.prepareStatement(
                        "INSERT INTO loam_row_id_floor (collection_id, next_base) VALUES (?, 0)"
                                + " ON CONFLICT DO NOTHING")) {
            insert.setLong(1, collectionId);
            insert.executeUpdate();
        }
        try (PreparedStatement query = connection.prepareStatement(lockFloor)) {
            query.setLong(1, collectionId);
            try (ResultSet row = query.executeQuery()) {
                row.next();
                return row.getLong(1);
            }
        }
    }

    private static OptionalLong given(Connection connection, long collectionId, Ulid incarnation)
            throws SQLException {
        try (PreparedStatement query =
                connection.prepareStatement(
                        "SELECT base FROM loam_row_id_base"
                                + " WHERE collection_id = ? AND incarnation = ?")) {
            query.setLong(1, collectionId);
            query.setString(2, incarnation.toString());
            try (ResultSet row = query.executeQuery()) {
                return row.next() ? OptionalLong.of(row.getLong(1)) : OptionalLong.empty();
            }
        }
    }

    private static void store(Connection connection, long collectionId, Ulid incarnation, long base)
            throws SQLException {
        try (PreparedStatement upsert =
                connection.prepareStatement(
                        "INSERT INTO loam_row_id_base (collection_id, incarnation, base)"
                                + " VALUES (?, ?, ?) ON CONFLICT (collection_id, incarnation)"
                                + " DO UPDATE SET base = excluded.base")) {
            upsert.setLong(1, collectionId);
            upsert.setString(2, incarnation.toString());
            upsert.setLong(3, base);
            upsert.executeUpdate();
        }
        forget(connection, collectionId, incarnation);
        try (PreparedStatement update =
                connection.prepareStatement(
                        "UPDATE loam_row_id_floor SET next_base = ? WHERE collection_id = ?")) {
            update.setLong(1, base + 1);
            update.setLong(2, collectionId);
            update.executeUpdate();
        }
    }

    /** An incarnation begins with the time it was submitted at, and text order is time order. */
    private static void forget(Connection connection, long collectionId, Ulid incarnation)
            throws SQLException {
        Ulid oldest = Ulid.of(Math.max(0, incarnation.timeMs() - KEPT_MS), 0, 0);
        try (PreparedStatement delete =
                connection.prepareStatement(
                        "DELETE FROM loam_row_id_base WHERE collection_id = ? AND incarnation < ?"
                                + " AND incarnation NOT IN (SELECT incarnation"
                                + " FROM loam_row_id_base WHERE collection_id = ?"
                                + " ORDER BY incarnation DESC LIMIT "
                                + KEPT
                                + ")")) {
            delete.setLong(1, collectionId);
            delete.setString(2, oldest.toString());
            delete.setLong(3, collectionId);
            delete.executeUpdate();
        }
    }
}
