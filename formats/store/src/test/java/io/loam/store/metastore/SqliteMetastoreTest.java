package io.loam.store.metastore;

import io.loam.store.metastore.MetastoreException.Code;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.stream.Stream;

import static org.assertj.core.api.Assertions.assertThat;

class SqliteMetastoreTest extends MetastoreContract {
    private static final int KILLS = 3;
    private static final int ACKNOWLEDGED_BEFORE_KILL = 25;

    @TempDir Path temporary;

    private String url() {
        return "jdbc:sqlite:" + temporary.resolve("meta store.db");
    }

    @Override
    Metastore open() throws MetastoreException {
        return JdbcMetastore.open(url(), null, null);
    }

    @Override
    Connection connect() throws SQLException {
        return DriverManager.getConnection(url());
    }

    @Test
    void writesAheadAndForcesEveryCommit() throws Exception {
        try (Connection connection = Dialect.SQLITE.connect(url(), null, null);
                Statement statement = connection.createStatement()) {
            assertThat(pragma(statement, "journal_mode")).isEqualTo("wal");
            assertThat(pragma(statement, "synchronous")).as("FULL").isEqualTo("2");
            assertThat(pragma(statement, "busy_timeout")).isEqualTo("30000");
        }
    }

    private static String pragma(Statement statement, String name) throws SQLException {
        try (ResultSet row = statement.executeQuery("PRAGMA " + name)) {
            return row.getString(1);
        }
    }

    @Test
    void saysWhatIsWrongWithTheFile() throws Exception {
        refused(
                Code.UNAVAILABLE,
                () -> JdbcMetastore.open("jdbc:sqlite:/no/such/folder/m.db", null, null),
                "/no/such/folder/m.db");
        Path text = Files.writeString(temporary.resolve("text"), "not a database ".repeat(100));
        refused(
                Code.UNAVAILABLE,
                () -> JdbcMetastore.open("jdbc:sqlite:" + text, null, null),
                "not a database");
        refused(
                Code.INVALID_ARGUMENT,
                () -> JdbcMetastore.open("jdbc:h2:mem:x", null, null),
                "jdbc:sqlite: or jdbc:postgresql:");
    }

    @Test
    void nativeLibraryIsUnpackedBelowTheBuildsTemporaryFolder() throws Exception {
        Path temporary = Path.of(System.getProperty("java.io.tmpdir"));
        try (Stream<Path> files = Files.list(temporary)) {
            assertThat(files.map(file -> file.getFileName().toString()))
                    .anyMatch(name -> name.contains("sqlitejdbc"));
        }
    }

    /** A killed process loses no swap it has been told of. */
    @Test
    void killedProcessesLoseNoAcknowledgedSwap() throws Exception {
        try (Metastore store = open()) {
            store.acquireLease(SwappingProcess.LEASE, "child", Arguments.MAX_TTL_MS);
            for (int kill = 0; kill < KILLS; kill++) {
                long acknowledged = killAfterSomeSwaps();
                long stored =
                        store.pointer(1, SwappingProcess.KEY).map(Pointer::version).orElse(0L);
                assertThat(stored).isBetween(acknowledged, acknowledged + 1);
            }
        }
    }

    private long killAfterSomeSwaps() throws Exception {
        Process child =
                new ProcessBuilder(
                                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                                "-Xmx64m",
                                "-Djava.io.tmpdir=" + System.getProperty("java.io.tmpdir"),
                                "-cp",
                                System.getProperty("java.class.path"),
                                SwappingProcess.class.getName(),
                                url())
                        .redirectError(ProcessBuilder.Redirect.INHERIT)
                        .start();
        long last = 0;
        try (BufferedReader lines =
                new BufferedReader(
                        new InputStreamReader(child.getInputStream(), StandardCharsets.US_ASCII))) {
            int seen = 0;
            String line;
            while ((line = lines.readLine()) != null) {
                last = Long.parseLong(line);
                if (++seen == ACKNOWLEDGED_BEFORE_KILL) {
                    child.toHandle().destroyForcibly();
                }
            }
            assertThat(seen).isGreaterThanOrEqualTo(ACKNOWLEDGED_BEFORE_KILL);
        } finally {
            child.destroyForcibly().waitFor();
        }
        return last;
    }
}
