package io.loam.store.erase;

import io.loam.codec.CorruptException;
import io.loam.codec.Ulid;
import io.loam.codec.erase.ErasureCodec;
import io.loam.codec.erase.ErasureNote;
import io.loam.codec.erase.ErasurePaths;
import io.loam.codec.erase.ErasureRequest;
import io.loam.store.object.ObjectExistsException;
import io.loam.store.object.ObjectInfo;
import io.loam.store.object.ObjectNotFoundException;
import io.loam.store.object.ObjectStore;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/** The records of the erasures of a namespace. They stay when the erasure is over. */
public final class ErasureRecords {
    private final ObjectStore objects;
    private final long namespaceId;

    public ErasureRecords(ObjectStore objects, long namespaceId) {
        this.objects = objects;
        this.namespaceId = namespaceId;
    }

    private ErasurePaths paths(Ulid id) {
        return new ErasurePaths(namespaceId, id);
    }

    /** Stores a request. */
    void put(ErasureRequest request) throws IOException {
        String path = paths(request.id()).request();
        byte[] bytes = ErasureCodec.encode(request);
        try {
            objects.put(path, bytes);
        } catch (ObjectExistsException e) {
            if (!Arrays.equals(objects.get(path), bytes)) {
                throw new CorruptException(path + ": there is another request of this id", e);
            }
        }
    }

    void putReleased(ErasureNote note) throws IOException {
        putNote(paths(note.id()).released(), ErasureCodec.encodeReleased(note));
    }

    void putCompletion(ErasureNote note) throws IOException {
        putNote(paths(note.id()).completion(), ErasureCodec.encodeCompletion(note));
    }

    private void putNote(String path, byte[] bytes) throws IOException {
        try {
            objects.put(path, bytes);
        } catch (ObjectExistsException e) {
            // It was put by an earlier attempt, and stays.
        }
    }

    /** The request of an id, if there is one. */
    public Optional<ErasureRequest> request(Ulid id) throws IOException {
        String path = paths(id).request();
        return read(path).map(bytes -> ErasureCodec.decodeRequest(bytes, path));
    }

    /** Whether and when history was released for it. */
    public Optional<ErasureNote> released(Ulid id) throws IOException {
        String path = paths(id).released();
        return read(path).map(bytes -> ErasureCodec.decodeReleased(bytes, path));
    }

    /** Whether and when it was completed. */
    public Optional<ErasureNote> completion(Ulid id) throws IOException {
        String path = paths(id).completion();
        return read(path).map(bytes -> ErasureCodec.decodeCompletion(bytes, path));
    }

    private Optional<byte[]> read(String path) throws IOException {
        try {
            return Optional.of(objects.get(path));
        } catch (ObjectNotFoundException e) {
            return Optional.empty();
        }
    }

    /** All requests, oldest first. */
    public List<ErasureRequest> requests() throws IOException {
        List<ErasureRequest> requests = new ArrayList<>();
        for (ObjectInfo object : objects.list(ErasurePaths.ofNamespace(namespaceId))) {
            if (object.path().endsWith("/request.rec")) {
                requests.add(ErasureCodec.decodeRequest(objects.get(object.path()), object.path()));
            }
        }
        return requests;
    }
}
