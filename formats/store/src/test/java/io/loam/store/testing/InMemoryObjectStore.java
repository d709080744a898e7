package io.loam.store.testing;

import io.loam.store.object.ObjectExistsException;
import io.loam.store.object.ObjectInfo;
import io.loam.store.object.ObjectNotFoundException;
import io.loam.store.object.ObjectPaths;
import io.loam.store.object.ObjectStore;

import java.io.EOFException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.function.LongSupplier;

/** Objects in memory. Native libraries cannot open its URIs. */
public final class InMemoryObjectStore implements ObjectStore {
    private record Entry(byte[] bytes, long createdMs) {}

    private final ConcurrentSkipListMap<String, Entry> objects = new ConcurrentSkipListMap<>();
    private final LongSupplier clockMs;

    public InMemoryObjectStore() {
        this(System::currentTimeMillis);
    }

    /** With a clock for last-modified times. */
    public InMemoryObjectStore(LongSupplier clockMs) {
        this.clockMs = clockMs;
    }

    /** Another store that holds the same objects now. */
    public InMemoryObjectStore copy() {
        InMemoryObjectStore copy = new InMemoryObjectStore(clockMs);
        copy.objects.putAll(objects);
        return copy;
    }

    @Override
    public void put(String path, byte[] bytes) throws IOException {
        ObjectPaths.requireValid(path);
        Entry entry = new Entry(bytes.clone(), clockMs.getAsLong());
        if (objects.putIfAbsent(path, entry) != null) {
            throw new ObjectExistsException(path);
        }
    }

    @Override
    public void putFile(String path, Path file) throws IOException {
        put(path, Files.readAllBytes(file));
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
        return entry(path).bytes().clone();
    }

    @Override
    public byte[] get(String path, long offset, int length) throws IOException {
        if (offset < 0 || length < 0) {
            throw new IllegalArgumentException(
                    "a range must not be negative: offset " + offset + ", length " + length);
        }
        byte[] bytes = entry(path).bytes();
        if (offset > bytes.length - (long) length) {
            throw new EOFException(
                    path + " has " + bytes.length + " bytes, not " + length + " from " + offset);
        }
        return Arrays.copyOfRange(bytes, (int) offset, (int) offset + length);
    }

    @Override
    public void download(String path, Path file) throws IOException {
        Files.write(
                file, entry(path).bytes(), StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
    }

    @Override
    public Optional<ObjectInfo> stat(String path) {
        return Optional.ofNullable(objects.get(ObjectPaths.requireValid(path)))
                .map(entry -> info(path, entry));
    }

    @Override
    public List<ObjectInfo> list(String prefix) {
        return objects.tailMap(prefix).entrySet().stream()
                .takeWhile(e -> e.getKey().startsWith(prefix))
                .map(e -> info(e.getKey(), e.getValue()))
                .toList();
    }

    private static ObjectInfo info(String path, Entry entry) {
        return new ObjectInfo(path, entry.bytes().length, entry.createdMs());
    }

    @Override
    public void delete(String path) {
        objects.remove(ObjectPaths.requireValid(path));
    }

    /** Changes an object's bytes behind everyone's back, to test what notices it. */
    public void corrupt(String path, byte[] bytes) {
        objects.put(path, new Entry(bytes.clone(), clockMs.getAsLong()));
    }

    private Entry entry(String path) throws IOException {
        Entry entry = objects.get(ObjectPaths.requireValid(path));
        if (entry == null) {
            throw new ObjectNotFoundException(path);
        }
        return entry;
    }

    @Override
    public String uri(String path) {
        return "memory:///" + ObjectPaths.requireValid(path);
    }

    @Override
    public Map<String, String> nativeOptions() {
        return Map.of();
    }

    @Override
    public void close() {}
}
