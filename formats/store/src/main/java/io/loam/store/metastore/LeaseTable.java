package io.loam.store.metastore;

import io.loam.store.metastore.MetastoreException.Code;

import javax.annotation.Nullable;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.Optional;

/**
 * Leases. A row stays for ever, so that its epoch only rises; without an owner it is free. A lease
 * has expired once the clock reaches its end.
 */
final class LeaseTable {
    private static final String SELECT =
            "SELECT owner, epoch, expires_at_ms FROM loam_lease WHERE lease_key = ?";

    private final ClockTable clock;
    private final String select;

    LeaseTable(Dialect dialect, ClockTable clock) {
        this.clock = clock;
        this.select = SELECT + dialect.forUpdate();
    }

    Lease acquire(Connection connection, String key, String owner, long ttlMs)
            throws SQLException, MetastoreException {
        long now = clock.stamp(connection);
        Lease held = lockedOrNew(connection, key);
        boolean free = held.owner() == null || held.expiresAtMs() <= now;
        if (!free && !owner.equals(held.owner())) {
            throw new MetastoreException(
                    Code.LEASE_HELD,
                    "lease "
                            + key
                            + " is held by "
                            + held.owner()
                            + " until "
                            + Instant.ofEpochMilli(held.expiresAtMs())
                            + ", "
                            + (held.expiresAtMs() - now)
                            + " ms from now");
        }
        long epoch = free ? held.epoch() + 1 : held.epoch();
        return store(connection, new Lease(key, owner, epoch, now + ttlMs));
    }

    Lease takeOver(Connection connection, String key, String owner, long ttlMs)
            throws SQLException {
        long now = clock.stamp(connection);
        Lease held = lockedOrNew(connection, key);
        return store(connection, new Lease(key, owner, held.epoch() + 1, now + ttlMs));
    }

    Lease extend(
            Connection connection,
            String key,
            String owner,
            long epoch,
            long ttlMs,
            boolean evenExpired)
            throws SQLException, MetastoreException {
        long now = clock.stamp(connection);
        Optional<Lease> held = query(connection, select, key);
        String loss = loss(held.orElse(null), owner, epoch, now, evenExpired);
        if (loss != null) {
            throw new MetastoreException(
                    Code.LEASE_LOST,
                    "lease " + key + " of " + owner + " with epoch " + epoch + " is lost: " + loss);
        }
        return store(connection, new Lease(key, owner, epoch, now + ttlMs));
    }

    @Nullable
    private static String loss(
            @Nullable Lease held, String owner, long epoch, long now, boolean evenExpired) {
        if (held == null || held.owner() == null) {
            return "nobody holds it";
        }
        if (!held.owner().equals(owner) || held.epoch() != epoch) {
            return held.owner() + " holds it with epoch " + held.epoch();
        }
        return held.expiresAtMs() <= now && !evenExpired
                ? "it expired " + (now - held.expiresAtMs()) + " ms ago"
                : null;
    }

    void release(Connection connection, String key, String owner, long epoch) throws SQLException {
        long now = clock.stamp(connection);
        try (PreparedStatement update =
                connection.prepareStatement(
                        "UPDATE loam_lease SET owner = NULL, expires_at_ms = ?"
                                + " WHERE lease_key = ? AND owner = ? AND epoch = ?")) {
            update.setLong(1, now);
            update.setString(2, key);
            update.setString(3, owner);
            update.setLong(4, epoch);
            update.executeUpdate();
        }
    }

    Optional<Lease> find(Connection connection, String key) throws SQLException {
        return query(connection, SELECT, key);
    }

    /** Refuses unless the lease has an owner and exactly this epoch; expiry does not matter. */
    void requireFence(Connection connection, String key, long epoch)
            throws SQLException, MetastoreException {
        Lease held = query(connection, select, key).orElse(new Lease(key, null, 0, 0));
        if (held.owner() == null || held.epoch() != epoch) {
            throw new MetastoreException(
                    Code.FENCED,
                    "lease "
                            + key
                            + " has epoch "
                            + held.epoch()
                            + " and "
                            + (held.owner() == null ? "no owner" : "owner " + held.owner())
                            + "; the swap carries epoch "
                            + epoch);
        }
    }

    /** Inserting first makes concurrent first acquirers meet at the row. */
    private Lease lockedOrNew(Connection connection, String key) throws SQLException {
        try (PreparedStatement insert =
                connection.prepareStatement(
                        "INSERT INTO loam_lease (lease_key, owner, epoch, expires_at_ms)"
                                + " VALUES (?, NULL, 0, 0) ON CONFLICT DO NOTHING")) {
            insert.setString(1, key);
            insert.executeUpdate();
        }
        return query(connection, select, key).orElseThrow();
    }

    private static Optional<Lease> query(Connection connection, String sql, String key)
            throws SQLException {
        try (PreparedStatement query = connection.prepareStatement(sql)) {
            query.setString(1, key);
            try (ResultSet row = query.executeQuery()) {
                return row.next()
                        ? Optional.of(
                                new Lease(key, row.getString(1), row.getLong(2), row.getLong(3)))
                        : Optional.empty();
            }
        }
    }

    private static Lease store(Connection connection, Lease lease) throws SQLException {
        try (PreparedStatement update =
                connection.prepareStatement(
                        "UPDATE loam_lease SET owner = ?, epoch = ?, expires_at_ms = ?"
                                + " WHERE lease_key = ?")) {
            update.setString(1, lease.owner());
            update.setLong(2, lease.epoch());
            update.setLong(3, lease.expiresAtMs());
            update.setString(4, lease.key());
            update.executeUpdate();
        }
        return lease;
    }
}
