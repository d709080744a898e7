package io.loam.jobs.maintain;

import io.loam.store.object.LocalObjectStore;
import io.loam.store.object.ObjectExistsException;
import io.loam.store.object.ObjectInfo;
import io.loam.store.object.ObjectStore;

import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileTime;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.LongSupplier;

/**
 * A local directory whose objects are as old as a clock of the test says, and which are not forced
 * to disk. For one process and one thread.
 */
final class ClockedObjects implements ObjectStore {
    private final Path root;
    private final ObjectStore files;
    private final LongSupplier clockMs;

    ClockedObjects(Path root, LongSupplier clockMs) throws IOException {
        this.root = root;
        this.files = LocalObjectStore.open(root);
        this.clockMs = clockMs;
    }

    @Override
    public void put(String path, byte[] bytes) throws IOException {
        Path file = root.resolve(path);
        Files.createDirectories(file.getParent());
        try {
            Files.write(file, bytes, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
        } catch (FileAlreadyExistsException e) {
            throw new ObjectExistsException(path);
        }
        Files.setLastModifiedTime(file, FileTime.fromMillis(clockMs.getAsLong()));
    }

    @Override
    public void putFile(String path, Path file) throws IOException {
        put(path, Files.readAllBytes(file));
    }

    @Override
    public void putAll(List<Put> puts) throws IOException {
        for (Put put : puts) {
            put(put.path(), put.bytes());
        }
    }

    @Override
    public byte[] get(String path) throws IOException {
        return files.get(path);
    }

    @Override
    public byte[] get(String path, long offset, int length) throws IOException {
        return files.get(path, offset, length);
    }

    @Override
    public void download(String path, Path file) throws IOException {
        files.download(path, file);
    }

    @Override
    public Optional<ObjectInfo> stat(String path) throws IOException {
        return files.stat(path);
    }

    @Override
    public List<ObjectInfo> list(String prefix) throws IOException {
        return files.list(prefix);
    }

    @Override
    public void delete(String path) throws IOException {
        files.delete(path);
    }

    @Override
    public String uri(String path) {
        return files.uri(path);
    }

    @Override
    public Map<String, String> nativeOptions() {
        return files.nativeOptions();
    }

    @Override
    public void close() throws IOException {
        files.close();
    }
}
