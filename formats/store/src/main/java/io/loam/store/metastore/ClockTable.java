package io.loam.store.metastore;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;

/**
 * The metastore's clock: the database's wall clock, held back from ever falling below a time that
 * was stamped. Only stamping writes; reading without a stamp is for swaps and composite reads.
 */
final class ClockTable {
    private final String stampSql;
    private final String readSql;

    ClockTable(Dialect dialect) {
        String now = latest(dialect);
        this.stampSql =
                "UPDATE loam_clock SET last_ms = " + now + " WHERE id = 1 RETURNING last_ms";
        this.readSql = "SELECT " + now + " FROM loam_clock WHERE id = 1";
    }

    /** The clock as an expression over a row of the table. */
    static String latest(Dialect dialect) {
        return dialect.nowMsOr("last_ms");
    }

    /** Reads the clock and remembers the reading. */
    long stamp(Connection connection) throws SQLException {
        return query(connection, stampSql);
    }

    /** Reads the clock, which is at least the last stamp. */
    long read(Connection connection) throws SQLException {
        return query(connection, readSql);
    }

    private static long query(Connection connection, String sql) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery(sql)) {
            if (!rows.next()) {
                throw new SQLException("table loam_clock has lost its row");
            }
            return rows.getLong(1);
        }
    }
}
