package io.loam.flink.connector.table;

import io.loam.flink.operators.CollectionOpener;
import io.loam.flink.operators.OpenedCollection;
import io.loam.store.CollectionHandle;
import io.loam.store.metastore.Pointer;
import io.loam.store.read.CollectionReader;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import javax.annotation.Nullable;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.util.function.LongSupplier;

/**
 * The open reader of the newest version, or of one that was chosen, for all threads of a function.
 * Whether there is a newer version is looked at again after an interval; a reader is closed once
 * nobody uses it.
 */
final class SharedReader implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(SharedReader.class);
    private static final long PAUSE_MS = 100;

    private final CollectionOpener opener;
    @Nullable private final Long version;
    private final LookupSettings settings;
    private final LongSupplier nanos;
    private @Nullable OpenedCollection opened;
    private @Nullable Held current;
    private long looked;
    private int uses;
    private boolean closed;

    /** What is done with a version. */
    interface Use<T> {
        T of(CollectionReader reader, CollectionHandle collection) throws IOException;
    }

    private static final class Held {
        private final CollectionReader reader;
        private int uses;
        private boolean retired;

        Held(CollectionReader reader) {
            this.reader = reader;
        }
    }

    /**
     * @param version null for the newest
     * @param nanos a clock such as {@link System#nanoTime}
     */
    SharedReader(
            CollectionOpener opener,
            @Nullable Long version,
            LookupSettings settings,
            LongSupplier nanos) {
        this.opener = opener;
        this.version = version;
        this.settings = settings;
        this.nanos = nanos;
    }

    /** Opens the collection and the reader, so that what is wrong shows before the first use. */
    void open() throws IOException {
        release(acquire());
    }

    /**
     * Uses the reader; after an I/O error again, with another one, as often as the settings say.
     */
    <T> T use(Use<T> use) throws IOException {
        for (int retry = 0; ; retry++) {
            try {
                return useOnce(use);
            } catch (InterruptedIOException e) {
                throw e;
            } catch (IOException e) {
                if (retry >= settings.maxRetries()) {
                    throw e;
                }
                LOG.warn("lookup failed, retry {} of {}", retry + 1, settings.maxRetries(), e);
                renew();
                pause(retry + 1);
            }
        }
    }

    private <T> T useOnce(Use<T> use) throws IOException {
        Held held = acquire();
        try {
            return use.of(held.reader, opened.collection());
        } finally {
            release(held);
        }
    }

    private static void pause(int times) throws InterruptedIOException {
        try {
            Thread.sleep(PAUSE_MS * times);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new InterruptedIOException("interrupted between retries of a lookup");
        }
    }

    private synchronized Held acquire() throws IOException {
        if (closed) {
            throw new InterruptedIOException("the lookups were closed");
        }
        if (opened == null) {
            opened = opener.open();
        }
        long now = nanos.getAsLong();
        if (current == null
                || version == null && now - looked >= settings.refreshInterval().toNanos()) {
            refresh(opened.collection());
            looked = now;
        }
        current.uses++;
        uses++;
        return current;
    }

    private void refresh(CollectionHandle collection) throws IOException {
        if (version != null) {
            current = new Held(CollectionReader.open(collection, version));
            return;
        }
        Pointer pointer = collection.metastore().head(collection.info().id()).pointer();
        long newest = pointer == null ? 0 : pointer.version();
        if (current == null || current.reader.manifest().version() != newest) {
            Held next = new Held(CollectionReader.open(collection));
            retire();
            current = next;
            evictOthers(next.reader);
        }
    }

    /** Copies that stay are no error of a lookup; the next version tries again. */
    private static void evictOthers(CollectionReader reader) {
        try {
            reader.evictOthers();
        } catch (IOException e) {
            LOG.warn("cannot delete copies of splits that are not needed", e);
        }
    }

    private synchronized void renew() {
        retire();
    }

    private void retire() {
        if (current != null) {
            Held old = current;
            current = null;
            old.retired = true;
            closeUnused(old);
        }
    }

    private synchronized void release(Held held) {
        held.uses--;
        uses--;
        closeUnused(held);
        closeCollection();
    }

    private static void closeUnused(Held held) {
        if (held.retired && held.uses == 0) {
            closing(held.reader);
        }
    }

    private void closeCollection() {
        if (closed && uses == 0 && opened != null) {
            OpenedCollection closing = opened;
            opened = null;
            closing(closing);
        }
    }

    /** What was read is right whether or not its reader closes, so this fails no lookup. */
    private static void closing(AutoCloseable resource) {
        try {
            resource.close();
        } catch (Exception e) {
            LOG.warn("cannot close {}", resource, e);
        }
    }

    /** Closes everything as soon as the last use ends. */
    @Override
    public synchronized void close() {
        closed = true;
        retire();
        closeCollection();
    }
}
