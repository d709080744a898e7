package io.loam.jobs.crash;

import io.loam.jobs.FreePort;

import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import org.apache.logging.log4j.Level;
import org.apache.logging.log4j.core.config.Configurator;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** A PostgreSQL server that can be killed and started again on the same data and port. */
final class DatabaseServer implements AutoCloseable {
    private static final Duration STARTS_WITHIN = Duration.ofMinutes(5);
    private static final Duration DIES_WITHIN = Duration.ofMinutes(5);

    private final Path data;
    private final int port = FreePort.find();
    private EmbeddedPostgres server;

    DatabaseServer(Path data) throws IOException {
        this.data = data;
        // It complains that it cannot stop a server that was killed.
        Configurator.setLevel(EmbeddedPostgres.class.getName(), Level.OFF);
        start();
    }

    private void start() throws IOException {
        server =
                EmbeddedPostgres.builder()
                        .setDataDirectory(data)
                        .setCleanDataDirectory(false)
                        .setPort(port)
                        .setPGStartupWait(STARTS_WITHIN)
                        .setServerConfig("synchronous_commit", "on")
                        .start();
    }

    String url() {
        return server.getJdbcUrl("postgres", "postgres");
    }

    /** SIGKILL to the server and the processes of its connections; returns once all are gone. */
    void kill() throws IOException, InterruptedException {
        long pid = Long.parseLong(Files.readAllLines(data.resolve("postmaster.pid")).get(0).trim());
        ProcessHandle postmaster = ProcessHandle.of(pid).orElseThrow();
        List<ProcessHandle> children = postmaster.descendants().toList();
        postmaster.destroyForcibly();
        children.forEach(ProcessHandle::destroyForcibly);
        long deadline = System.nanoTime() + DIES_WITHIN.toNanos();
        while (postmaster.isAlive() || children.stream().anyMatch(ProcessHandle::isAlive)) {
            if (System.nanoTime() > deadline) {
                throw new IllegalStateException("the database server does not die");
            }
            TimeUnit.MILLISECONDS.sleep(5);
        }
    }

    void restart() throws IOException {
        server.close(); // gives up its lock of the folder; the server itself is gone
        start();
    }

    @Override
    public void close() throws IOException {
        server.close();
    }
}
