package io.loam.store.metastore;

import io.loam.store.metastore.MetastoreException.Code;

import javax.annotation.Nullable;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Optional;

/** Versioned pointers and their compare-and-swap. */
final class PointerTable {
    private static final String SELECT =
            "SELECT version, value FROM loam_pointer WHERE namespace_id = ? AND pointer_key = ?";
    static final String COLLECTION_PREFIX = "collection/";

    private final ClockTable clock;
    private final LeaseTable leases;
    private final String selectForUpdate;
    private final String lockCollection;

    PointerTable(Dialect dialect, ClockTable clock, LeaseTable leases) {
        this.clock = clock;
        this.leases = leases;
        this.selectForUpdate = SELECT + dialect.forUpdate();
        this.lockCollection =
                "SELECT 1 FROM loam_collection WHERE id = ? AND namespace_id = ?"
                        + dialect.forUpdate();
    }

    Optional<Pointer> find(Connection connection, long namespaceId, String key)
            throws SQLException {
        return query(connection, SELECT, namespaceId, key);
    }

    /**
     * Swaps. The rows the checks look at are locked, so that what they saw still holds at commit.
     */
    Pointer swap(Connection connection, PointerSwap swap) throws SQLException, MetastoreException {
        checkArguments(swap);
        if (swap.key().startsWith(COLLECTION_PREFIX)) {
            requireCollection(connection, swap);
        }
        requireNamespace(connection, swap.namespaceId());
        leases.requireFence(connection, swap.leaseKey(), swap.leaseEpoch());
        Optional<Pointer> current =
                query(connection, selectForUpdate, swap.namespaceId(), swap.key());
        if (current.map(Pointer::version).orElse(0L) != swap.expectedVersion()) {
            throw mismatch(swap, current.orElse(null));
        }
        requireFresh(swap, clock.read(connection));
        Pointer next = new Pointer(swap.expectedVersion() + 1, swap.value());
        if (current.isPresent()) {
            update(connection, swap, next);
        } else if (!inserted(connection, swap, next)) {
            throw mismatch(swap, find(connection, swap.namespaceId(), swap.key()).orElse(null));
        }
        return next;
    }

    private static void checkArguments(PointerSwap swap) throws MetastoreException {
        Arguments.key("a pointer's key", swap.key());
        Arguments.length("a pointer's value", swap.value(), Arguments.MAX_VALUE_BYTES);
        if (swap.expectedVersion() < 0 || swap.expectedVersion() == Long.MAX_VALUE) {
            throw Arguments.invalid(
                    "the expected version must be 0..2^63-2, not "
                            + Long.toUnsignedString(swap.expectedVersion()));
        }
        if (swap.maxAgeMs() < 0 || swap.createdAtMs() < 0) {
            throw Arguments.invalid("creation time and greatest age must not be negative");
        }
    }

    private void requireCollection(Connection connection, PointerSwap swap)
            throws SQLException, MetastoreException {
        long id = collectionId(swap.key());
        try (PreparedStatement query = connection.prepareStatement(lockCollection)) {
            query.setLong(1, id);
            query.setLong(2, swap.namespaceId());
            try (ResultSet row = query.executeQuery()) {
                if (!row.next()) {
                    throw new MetastoreException(
                            Code.COLLECTION_NOT_FOUND,
                            "namespace " + swap.namespaceId() + " has no collection " + id);
                }
            }
        }
    }

    private static long collectionId(String key) throws MetastoreException {
        String id = key.substring(COLLECTION_PREFIX.length());
        if (!id.matches("[1-9][0-9]{0,17}")) {
            throw Arguments.invalid("not a collection's pointer key: \"" + key + "\"");
        }
        return Long.parseLong(id);
    }

    private static void requireNamespace(Connection connection, long id)
            throws SQLException, MetastoreException {
        try (PreparedStatement query =
                connection.prepareStatement("SELECT 1 FROM loam_namespace WHERE id = ?")) {
            query.setLong(1, id);
            try (ResultSet row = query.executeQuery()) {
                if (!row.next()) {
                    throw new MetastoreException(
                            Code.NAMESPACE_NOT_FOUND, "there is no namespace " + id);
                }
            }
        }
    }

    private static void requireFresh(PointerSwap swap, long now) throws MetastoreException {
        long age = now - swap.createdAtMs();
        if (age > swap.maxAgeMs()) {
            throw new MetastoreException(
                    Code.STALE_OBJECT,
                    swap.value()
                            + " was begun "
                            + age
                            + " ms ago and may be published for "
                            + swap.maxAgeMs()
                            + " ms only");
        }
    }

    private static MetastoreException mismatch(PointerSwap swap, @Nullable Pointer current) {
        return new MetastoreException(
                swap.key()
                        + " is "
                        + (current == null
                                ? "absent"
                                : "at version " + current.version() + " (" + current.value() + ")")
                        + ", not at the expected version "
                        + swap.expectedVersion(),
                current);
    }

    private static void update(Connection connection, PointerSwap swap, Pointer next)
            throws SQLException {
        try (PreparedStatement update =
                connection.prepareStatement(
                        "UPDATE loam_pointer SET version = ?, value = ?"
                                + " WHERE namespace_id = ? AND pointer_key = ?")) {
            update.setLong(1, next.version());
            update.setString(2, next.value());
            update.setLong(3, swap.namespaceId());
            update.setString(4, swap.key());
            update.executeUpdate();
        }
    }

    private static boolean inserted(Connection connection, PointerSwap swap, Pointer next)
            throws SQLException {
        try (PreparedStatement insert =
                connection.prepareStatement(
                        "INSERT INTO loam_pointer (namespace_id, pointer_key, version, value)"
                                + " VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING")) {
            insert.setLong(1, swap.namespaceId());
            insert.setString(2, swap.key());
            insert.setLong(3, next.version());
            insert.setString(4, next.value());
            return insert.executeUpdate() == 1;
        }
    }

    private static Optional<Pointer> query(
            Connection connection, String sql, long namespaceId, String key) throws SQLException {
        try (PreparedStatement query = connection.prepareStatement(sql)) {
            query.setLong(1, namespaceId);
            query.setString(2, key);
            try (ResultSet row = query.executeQuery()) {
                return row.next()
                        ? Optional.of(new Pointer(row.getLong(1), row.getString(2)))
                        : Optional.empty();
            }
        }
    }
}
