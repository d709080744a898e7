package io.loam.store.sim;

import io.loam.store.object.ObjectInfo;
import io.loam.store.object.ObjectStore;
import io.loam.store.testing.FaultPlan.Fault;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** The object store as simulated processes see it: each object's put is a call of its own. */
class SimObjects implements ObjectStore {
    private final ObjectStore raw;
    private final SimFaults faults;

    private interface Call<T> {
        T run() throws IOException;
    }

    private interface Command {
        void run() throws IOException;
    }

    SimObjects(ObjectStore raw, SimFaults faults) {
        this.raw = raw;
        this.faults = faults;
    }

    private <T> T call(String what, String path, Call<T> call) throws IOException {
        Fault fault =
                faults.before(what + " " + path.substring(path.indexOf("/collections/") + 13));
        if (fault == Fault.BEFORE) {
            throw new IOException("injected before " + what + " " + path);
        }
        T result = call.run();
        if (fault == Fault.AFTER) {
            throw new IOException("injected after " + what + " " + path);
        }
        return result;
    }

    private void run(String what, String path, Command command) throws IOException {
        call(
                what,
                path,
                () -> {
                    command.run();
                    return null;
                });
    }

    @Override
    public void put(String path, byte[] bytes) throws IOException {
        run("put", path, () -> raw.put(path, bytes));
    }

    @Override
    public void putFile(String path, Path file) throws IOException {
        run("put", path, () -> raw.putFile(path, file));
    }

    @Override
    public void putAll(List<Put> puts) throws IOException {
        IOException failure = null;
        for (Put put : puts) {
            try {
                put(put.path(), put.bytes());
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
        return call("get", path, () -> raw.get(path));
    }

    @Override
    public byte[] get(String path, long offset, int length) throws IOException {
        return call("get", path, () -> raw.get(path, offset, length));
    }

    @Override
    public void download(String path, Path file) throws IOException {
        run("download", path, () -> raw.download(path, file));
    }

    @Override
    public Optional<ObjectInfo> stat(String path) throws IOException {
        return call("stat", path, () -> raw.stat(path));
    }

    @Override
    public List<ObjectInfo> list(String prefix) throws IOException {
        return call("list", prefix, () -> raw.list(prefix));
    }

    @Override
    public void delete(String path) throws IOException {
        run("delete", path, () -> raw.delete(path));
    }

    @Override
    public String uri(String path) {
        return raw.uri(path);
    }

    @Override
    public Map<String, String> nativeOptions() {
        return raw.nativeOptions();
    }

    @Override
    public void close() {}
}
