package io.loam.flink.connector.table;

import io.loam.codec.key.PrimaryKey;
import io.loam.flink.connector.WarehouseCollection;
import io.loam.store.read.CollectionReader;
import io.loam.store.spi.Projection;

import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** Which version is read when, and when a reader may be closed. */
class SharedReaderITCase extends TableTestBase {
    private static final LookupSettings SETTINGS =
            new LookupSettings(false, Duration.ofSeconds(1), 2, null);

    private final AtomicLong clock = new AtomicLong();

    private SharedReader reader(Long version) throws IOException {
        WarehouseCollection found =
                WarehouseCollection.find(warehouse(), "default", "docs").opener();
        return new SharedReader(found, version, SETTINGS, clock::get);
    }

    private void write(int n) throws Exception {
        create(
                "CREATE TABLE IF NOT EXISTS docs (id BIGINT, n INT, PRIMARY KEY (id) NOT ENFORCED)"
                        + with());
        run(batch, "INSERT INTO docs VALUES (1, " + n + ")");
    }

    private static String source(SharedReader shared) throws IOException {
        return shared.use((reader, collection) -> source(reader));
    }

    private static String source(CollectionReader reader) throws IOException {
        return new String(
                reader.get(PrimaryKey.ofU64(1), Projection.SOURCES).orElseThrow().source(),
                StandardCharsets.UTF_8);
    }

    @Test
    void aNewerVersionIsReadAfterTheInterval() throws Exception {
        write(1);
        try (SharedReader shared = reader(null);
                SharedReader pinned = reader(1L)) {
            assertThat(source(shared)).contains("\"n\":1");
            assertThat(source(pinned)).contains("\"n\":1");
            write(2);
            clock.set(Duration.ofMillis(999).toNanos());
            assertThat(source(shared)).contains("\"n\":1");
            clock.set(Duration.ofMillis(1000).toNanos());
            assertThat(source(shared)).contains("\"n\":2");
            assertThat(source(pinned)).contains("\"n\":1");
        }
    }

    @Test
    void anOldReaderServesUntilItsLastUseEnds() throws Exception {
        write(1);
        SharedReader shared = reader(null);
        CountDownLatch inside = new CountDownLatch(1);
        CountDownLatch goOn = new CountDownLatch(1);
        CompletableFuture<String> slow =
                CompletableFuture.supplyAsync(
                        () -> {
                            try {
                                return shared.use(
                                        (reader, collection) -> {
                                            inside.countDown();
                                            await(goOn);
                                            return source(reader);
                                        });
                            } catch (IOException e) {
                                throw new AssertionError(e);
                            }
                        });
        inside.await();
        write(2);
        clock.set(Duration.ofSeconds(2).toNanos());
        assertThat(source(shared)).contains("\"n\":2");
        shared.close();
        assertThatThrownBy(() -> source(shared)).isInstanceOf(InterruptedIOException.class);
        goOn.countDown();
        assertThat(slow.get()).contains("\"n\":1");
    }

    private static void await(CountDownLatch latch) throws InterruptedIOException {
        try {
            latch.await();
        } catch (InterruptedException e) {
            throw new InterruptedIOException();
        }
    }

    @Test
    void aFailureIsRetriedWithAnotherReaderAsOftenAsSaid() throws Exception {
        write(1);
        try (SharedReader shared = reader(null)) {
            AtomicInteger times = new AtomicInteger();
            String found =
                    shared.use(
                            (reader, collection) -> {
                                if (times.incrementAndGet() < 3) {
                                    throw new IOException("torn");
                                }
                                return source(reader);
                            });
            assertThat(found).contains("\"n\":1");
            times.set(0);
            assertThatThrownBy(
                            () ->
                                    shared.use(
                                            (reader, collection) -> {
                                                times.incrementAndGet();
                                                throw new IOException("torn");
                                            }))
                    .hasMessage("torn");
            assertThat(times).hasValue(3);
            assertThat(source(shared)).contains("\"n\":1");
        }
    }
}
