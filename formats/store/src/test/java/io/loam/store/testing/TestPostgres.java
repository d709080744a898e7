package io.loam.store.testing;

import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;

import java.time.Duration;

/** PostgreSQL servers of tests. */
public final class TestPostgres {
    private static final Duration STARTS_WITHIN = Duration.ofMinutes(5);

    private TestPostgres() {}

    /** A server that a busy machine may take its time to start; the library waits ten seconds. */
    public static EmbeddedPostgres.Builder builder() {
        return EmbeddedPostgres.builder().setPGStartupWait(STARTS_WITHIN);
    }
}
