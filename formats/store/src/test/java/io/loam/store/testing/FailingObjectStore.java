package io.loam.store.testing;

import io.loam.store.object.ObjectInfo;
import io.loam.store.object.ObjectNotFoundException;
import io.loam.store.object.ObjectStore;

import java.io.IOException;
import java.net.SocketTimeoutException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;

/**
 * An object store whose operations fail as a {@link FaultPlan} says. The operations are {@code
 * put}, {@code get}, {@code download}, {@code stat}, {@code list} and {@code delete} followed by
 * the path. Each put of a {@code putAll} is decided by itself, so that any subset may be there.
 */
public final class FailingObjectStore implements ObjectStore {
    private interface Call<T> {
        T run() throws IOException;
    }

    private interface Command {
        void run() throws IOException;
    }

    private final ObjectStore delegate;
    private final FaultPlan plan;
    private final String label;
    private final AtomicReference<String> newest = new AtomicReference<>("");

    public FailingObjectStore(ObjectStore delegate, FaultPlan plan) {
        this(delegate, plan, "");
    }

    /**
     * @param label comes before every operation, to tell several wrappers of one store apart
     */
    public FailingObjectStore(ObjectStore delegate, FaultPlan plan, String label) {
        this.delegate = delegate;
        this.plan = plan;
        this.label = label;
    }

    @Override
    public void put(String path, byte[] bytes) throws IOException {
        plan.putRound("put " + path);
        putOne(path, bytes);
    }

    private void putOne(String path, byte[] bytes) throws IOException {
        run("put " + path, () -> delegate.put(path, bytes));
        newest.set(path);
    }

    @Override
    public void putFile(String path, Path file) throws IOException {
        run("put " + path, () -> delegate.putFile(path, file));
        newest.set(path);
    }

    @Override
    public void putAll(List<Put> puts) throws IOException {
        plan.putRound("putAll " + puts.size());
        IOException failure = null;
        for (Put put : puts) {
            try {
                putOne(put.path(), put.bytes());
            } catch (IOException e) {
                failure = e;
            }
        }
        if (failure != null) {
            throw failure;
        }
    }

    @Override
    public byte[] get(String path) throws IOException {
        return read("get " + path, path, () -> delegate.get(path));
    }

    @Override
    public byte[] get(String path, long offset, int length) throws IOException {
        return read("get " + path, path, () -> delegate.get(path, offset, length));
    }

    @Override
    public void download(String path, Path file) throws IOException {
        run("download " + path, () -> delegate.download(path, file));
    }

    @Override
    public Optional<ObjectInfo> stat(String path) throws IOException {
        return call("stat " + path, () -> delegate.stat(path), found -> Optional.empty());
    }

    @Override
    public List<ObjectInfo> list(String prefix) throws IOException {
        return call(
                "list " + prefix,
                () -> delegate.list(prefix),
                found -> found.stream().filter(o -> !o.path().equals(newest.get())).toList());
    }

    @Override
    public void delete(String path) throws IOException {
        run("delete " + path, () -> delegate.delete(path));
    }

    private void run(String operation, Command command) throws IOException {
        call(
                operation,
                () -> {
                    command.run();
                    return null;
                },
                any -> {
                    throw new AssertionError(operation + " cannot be stale");
                });
    }

    /** What a faulty answer looks like instead. */
    private interface Change<T> {
        T of(T answer) throws IOException;
    }

    private byte[] read(String operation, String path, Call<byte[]> call) throws IOException {
        FaultPlan.Fault fault = plan.next(label + operation);
        switch (fault) {
            case SHORT:
                byte[] whole = call.run();
                return Arrays.copyOf(whole, plan.draw(Math.max(1, whole.length)));
            case FLIPPED:
                byte[] flipped = call.run();
                flipped[plan.draw(flipped.length)] ^= (byte) (1 << plan.draw(Byte.SIZE));
                return flipped;
            default:
                return answer(
                        operation,
                        fault,
                        call,
                        any -> {
                            throw new ObjectNotFoundException(path);
                        });
        }
    }

    private <T> T call(String operation, Call<T> call, Change<T> stale) throws IOException {
        return answer(operation, plan.next(label + operation), call, stale);
    }

    private <T> T answer(String operation, FaultPlan.Fault fault, Call<T> call, Change<T> stale)
            throws IOException {
        switch (fault) {
            case BEFORE:
                throw new IOException("injected before " + operation);
            case TIMEOUT_BEFORE:
                throw new SocketTimeoutException("injected timeout of " + operation);
            case SLOW:
            case STALLED:
                plan.slow(fault);
                return call.run();
            default:
        }
        T result = call.run();
        switch (fault) {
            case NONE:
                return result;
            case AFTER:
                throw new IOException("injected after " + operation);
            case TIMEOUT_AFTER:
                throw new SocketTimeoutException("injected timeout of " + operation);
            case STALE:
                return stale.of(result);
            default:
                throw new AssertionError(fault + " makes no sense for " + operation);
        }
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
}
