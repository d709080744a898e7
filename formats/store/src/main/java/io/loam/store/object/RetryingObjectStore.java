package io.loam.store.object;

import io.loam.store.retry.Retry;

import java.io.EOFException;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.net.SocketTimeoutException;
import java.nio.channels.ClosedByInterruptException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Tries operations again that failed for a reason that may pass. Errors that stay are passed on at
 * once: {@link Permanent} ones, a range beyond an object's end, a file that may not be read, an
 * interrupted thread.
 *
 * <p>After a put failed nobody knows whether the object is there. A second attempt that finds the
 * path taken therefore compares: the very same bytes are its own, others are somebody else's.
 */
public final class RetryingObjectStore implements ObjectStore {
    private static final Set<Class<? extends IOException>> PERMANENT =
            Set.of(
                    EOFException.class,
                    ClosedByInterruptException.class,
                    AccessDeniedException.class,
                    FileAlreadyExistsException.class,
                    NoSuchFileException.class,
                    NotDirectoryException.class);

    private final ObjectStore delegate;
    private final Retry retry;
    private final PutOutcomes outcomes;

    public RetryingObjectStore(ObjectStore delegate, Retry retry) {
        this.delegate = delegate;
        this.retry = retry;
        this.outcomes = new PutOutcomes(delegate);
    }

    /** A store that tries again, be it by itself. */
    public static ObjectStore over(ObjectStore objects, Retry retry) {
        return objects.retries() ? objects : new RetryingObjectStore(objects, retry);
    }

    @Override
    public boolean retries() {
        return true;
    }

    /** Whether another attempt may go better. */
    static boolean mayPass(IOException failure) {
        if (failure instanceof InterruptedIOException) {
            return failure instanceof SocketTimeoutException;
        }
        return !(failure instanceof Permanent)
                && PERMANENT.stream().noneMatch(type -> type.isInstance(failure));
    }

    private interface Call<T> {
        /**
         * @param repeated an earlier attempt failed, and may have taken effect
         */
        T run(boolean repeated) throws IOException;
    }

    private <T> T call(String operation, Call<T> call) throws IOException {
        Retry.Attempts attempts = retry.begin(operation);
        while (true) {
            try {
                return call.run(attempts.failed() > 0);
            } catch (IOException e) {
                if (!mayPass(e)) {
                    throw e;
                }
                if (!attempts.again(e)) {
                    throw new IOException(attempts.summary(e), e);
                }
            }
        }
    }

    @Override
    public void put(String path, byte[] bytes) throws IOException {
        call(
                "put " + path,
                repeated -> {
                    try {
                        delegate.put(path, bytes);
                    } catch (ObjectExistsException e) {
                        if (!repeated || !outcomes.holds(path, bytes)) {
                            throw e;
                        }
                    }
                    return null;
                });
    }

    @Override
    public void putFile(String path, Path file) throws IOException {
        call(
                "put " + path,
                repeated -> {
                    try {
                        delegate.putFile(path, file);
                    } catch (ObjectExistsException e) {
                        if (!repeated || !outcomes.holds(path, file)) {
                            throw e;
                        }
                    }
                    return null;
                });
    }

    @Override
    public void putAll(List<Put> puts) throws IOException {
        if (puts.isEmpty()) {
            return;
        }
        String first = puts.get(0).path();
        call(
                "put " + first + (puts.size() == 1 ? "" : " and " + (puts.size() - 1) + " more"),
                repeated -> {
                    try {
                        delegate.putAll(repeated ? outcomes.missing(puts) : puts);
                    } catch (ObjectExistsException e) {
                        if (!repeated) {
                            throw e;
                        }
                        // An earlier attempt's put may have landed late: the next one compares.
                        throw new IOException(e.getMessage(), e);
                    }
                    return null;
                });
    }

    @Override
    public byte[] get(String path) throws IOException {
        return call("get " + path, repeated -> delegate.get(path));
    }

    @Override
    public byte[] get(String path, long offset, int length) throws IOException {
        return call(
                "get " + path,
                repeated -> {
                    byte[] bytes = delegate.get(path, offset, length);
                    if (bytes.length != length) {
                        throw new IOException(
                                path
                                        + ": "
                                        + bytes.length
                                        + " bytes came, not the "
                                        + length
                                        + " asked for");
                    }
                    return bytes;
                });
    }

    @Override
    public void download(String path, Path file) throws IOException {
        call(
                "get " + path,
                repeated -> {
                    if (repeated) {
                        Files.deleteIfExists(file); // what an earlier attempt left
                    }
                    delegate.download(path, file);
                    return null;
                });
    }

    @Override
    public Optional<Path> localFile(String path) {
        return delegate.localFile(path);
    }

    @Override
    public Optional<ObjectInfo> stat(String path) throws IOException {
        return call("stat " + path, repeated -> delegate.stat(path));
    }

    @Override
    public List<ObjectInfo> list(String prefix) throws IOException {
        return call("list " + prefix, repeated -> delegate.list(prefix));
    }

    @Override
    public void delete(String path) throws IOException {
        call(
                "delete " + path,
                repeated -> {
                    delegate.delete(path);
                    return null;
                });
    }

    @Override
    public String uri(String path) {
        return delegate.uri(path);
    }

    @Override
    public Map<String, String> nativeOptions() {
        return delegate.nativeOptions();
    }

    @Override
    public void close() throws IOException {
        delegate.close();
    }

    @Override
    public String toString() {
        return delegate.toString();
    }
}
