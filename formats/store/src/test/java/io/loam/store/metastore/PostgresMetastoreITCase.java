package io.loam.store.metastore;

import io.loam.store.metastore.MetastoreException.Code;
import io.loam.store.testing.TestPostgres;

import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.concurrent.atomic.AtomicInteger;

import static org.assertj.core.api.Assertions.assertThat;

class PostgresMetastoreITCase extends MetastoreContract {
    private static final AtomicInteger DATABASES = new AtomicInteger();
    private static EmbeddedPostgres server;

    private String database;

    @BeforeAll
    static void startServer() throws IOException {
        server = TestPostgres.builder().start();
    }

    @AfterAll
    static void stopServer() throws IOException {
        server.close();
    }

    @BeforeEach
    @Override
    void openStore() throws MetastoreException {
        database = "loam_" + DATABASES.incrementAndGet();
        createDatabase();
        super.openStore();
    }

    private void createDatabase() throws MetastoreException {
        try (Connection connection = server.getPostgresDatabase().getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute("CREATE DATABASE " + database);
        } catch (SQLException e) {
            throw new AssertionError(e);
        }
    }

    @Override
    Metastore open() throws MetastoreException {
        return JdbcMetastore.open(url(), null, null);
    }

    private String url() {
        return server.getJdbcUrl("postgres", database);
    }

    @Override
    Connection connect() throws SQLException {
        return server.getDatabase("postgres", database).getConnection();
    }

    @Test
    void aKeptConnectionThatDiedIsReplaced() throws Exception {
        try (Metastore store = open()) {
            long clock = store.clockMs();
            terminateOthers();
            assertThat(store.clockMs()).isGreaterThanOrEqualTo(clock);
            terminateOthers();
            assertThat(store.namespaces()).containsExactly("default");
        }
    }

    /** As a server that restarts would do it to its clients. */
    private void terminateOthers() throws SQLException {
        try (Connection connection = server.getPostgresDatabase().getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute(
                    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '"
                            + database
                            + "'");
        }
    }

    @Test
    void aStoppedServerLeavesTheOutcomeUnknown() throws Exception {
        EmbeddedPostgres mortal = TestPostgres.builder().start();
        String url = mortal.getJdbcUrl("postgres", "postgres");
        try (Metastore store = JdbcMetastore.open(url, null, null)) {
            store.clockMs();
            mortal.close();

            MetastoreException refusal = refused(Code.UNAVAILABLE, store::clockMs);
            assertThat(refusal.code().unknownOutcome()).isTrue();
            assertThat(refusal.getMessage()).doesNotContain("user=");
            refused(
                    Code.UNAVAILABLE,
                    () -> store.swapPointer(new PointerSwap(1, "k", 0, "v", "l", 1, 0, 1)));
        }
        refused(Code.UNAVAILABLE, () -> JdbcMetastore.open(url, null, null));
    }

    @Test
    void commitsAreForcedWhateverTheServersDefault() throws Exception {
        try (Connection admin = server.getPostgresDatabase().getConnection();
                Statement statement = admin.createStatement()) {
            statement.execute("ALTER DATABASE " + database + " SET synchronous_commit = off");
        }
        try (Connection connection = Dialect.POSTGRESQL.connect(url(), null, null);
                Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery("SHOW synchronous_commit")) {
            row.next();
            assertThat(row.getString(1)).isEqualTo("on");
        }
    }

    @Test
    void theServerLivesBelowTheBuildsTemporaryFolder() throws Exception {
        Path temporary = Path.of(System.getProperty("java.io.tmpdir")).toRealPath();
        try (Connection connection = connect();
                Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery("SHOW data_directory")) {
            row.next();
            assertThat(Path.of(row.getString(1)).toRealPath()).startsWith(temporary);
        }
    }

    @Test
    void namesADatabaseThatIsMissing() {
        refused(
                Code.UNAVAILABLE,
                () -> JdbcMetastore.open(server.getJdbcUrl("postgres", "nothing"), null, null),
                "nothing");
    }
}
