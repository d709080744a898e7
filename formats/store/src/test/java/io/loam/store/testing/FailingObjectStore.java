package io.loam.store.testing;

import io.loam.store.object.ObjectInfo;
import io.loam.store.object.ObjectStore;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;

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

    public FailingObjectStore(ObjectStore delegate, FaultPlan plan) {
        this.delegate = delegate;
        this.plan = plan;
    }

    @Override
    public void put(String path, byte[] bytes) throws IOException {
        plan.putRound("put " + path);
        putOne(path, bytes);
    }

    private void putOne(String path, byte[] bytes) throws IOException {
        run("put " + path, () -> delegate.put(path, bytes));
    }

    @Override
    public void putFile(String path, Path file) throws IOException {
        run("put " + path, () -> delegate.putFile(path, file));
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
        return call("get " + path, () -> delegate.get(path));
    }

    @Override
    public byte[] get(String path, long offset, int length) throws IOException {
        return call("get " + path, () -> delegate.get(path, offset, length));
    }

    @Override
    public void download(String path, Path file) throws IOException {
        run("download " + path, () -> delegate.download(path, file));
    }

    @Override
    public Optional<ObjectInfo> stat(String path) throws IOException {
        return call("stat " + path, () -> delegate.stat(path));
    }

    @Override
    public List<ObjectInfo> list(String prefix) throws IOException {
        return call("list " + prefix, () -> delegate.list(prefix));
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
                });
    }

    private <T> T call(String operation, Call<T> call) throws IOException {
        FaultPlan.Fault fault = plan.next(operation);
        if (fault == FaultPlan.Fault.BEFORE) {
            throw new IOException("injected before " + operation);
        }
        T result = call.run();
        if (fault == FaultPlan.Fault.AFTER) {
            throw new IOException("injected after " + operation);
        }
        return result;
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
