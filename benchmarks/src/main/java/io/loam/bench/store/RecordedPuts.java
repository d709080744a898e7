package io.loam.bench.store;

import io.loam.store.object.ObjectInfo;
import io.loam.store.object.ObjectStore;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Remembers the rounds of puts that went through it, so that they can be made again bare. */
final class RecordedPuts implements ObjectStore {
    private final ObjectStore objects;
    private final List<List<Put>> rounds = new ArrayList<>();

    RecordedPuts(ObjectStore objects) {
        this.objects = objects;
    }

    /** What was put since the last call, one list for each call that put it. */
    synchronized List<List<Put>> take() {
        List<List<Put>> taken = List.copyOf(rounds);
        rounds.clear();
        return taken;
    }

    private synchronized void remember(List<Put> puts) {
        rounds.add(List.copyOf(puts));
    }

    @Override
    public void put(String path, byte[] bytes) throws IOException {
        objects.put(path, bytes);
        remember(List.of(new Put(path, bytes)));
    }

    @Override
    public void putFile(String path, Path file) throws IOException {
        objects.putFile(path, file);
    }

    @Override
    public void putAll(List<Put> puts) throws IOException {
        objects.putAll(puts);
        remember(puts);
    }

    @Override
    public byte[] get(String path) throws IOException {
        return objects.get(path);
    }

    @Override
    public byte[] get(String path, long offset, int length) throws IOException {
        return objects.get(path, offset, length);
    }

    @Override
    public void download(String path, Path file) throws IOException {
        objects.download(path, file);
    }

    @Override
    public Optional<ObjectInfo> stat(String path) throws IOException {
        return objects.stat(path);
    }

    @Override
    public List<ObjectInfo> list(String prefix) throws IOException {
        return objects.list(prefix);
    }

    @Override
    public void delete(String path) throws IOException {
        objects.delete(path);
    }

    @Override
    public boolean retries() {
        return objects.retries();
    }

    @Override
    public String uri(String path) {
        return objects.uri(path);
    }

    @Override
    public Map<String, String> nativeOptions() {
        return objects.nativeOptions();
    }

    @Override
    public void close() throws IOException {
        objects.close();
    }
}
