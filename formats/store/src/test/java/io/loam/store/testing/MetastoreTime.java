package io.loam.store.testing;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;

/** Lets time pass by the clock of a metastore in SQLite. */
public final class MetastoreTime {
    private MetastoreTime() {}

    /** Its clock goes so far ahead of where it is, or of this machine's. */
    public static void pass(String metastoreUrl, Duration time) throws SQLException {
        try (Connection connection = DriverManager.getConnection(metastoreUrl);
                Statement statement = connection.createStatement()) {
            statement.executeUpdate(
                    "UPDATE loam_clock SET last_ms = MAX(last_ms, "
                            + System.currentTimeMillis()
                            + ") + "
                            + time.toMillis());
        }
    }
}
