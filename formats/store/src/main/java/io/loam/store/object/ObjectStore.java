package io.loam.store.object;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Immutable objects under paths such as {@code ns/1/collections/5/manifests/x.pb}. A path has no
 * leading slash, no empty, {@code .} or {@code ..} segment. Puts are create-only and atomic: an
 * object is there whole and durable, or not at all. Every method may be called from any thread.
 */
public interface ObjectStore extends AutoCloseable {

    /** An object to create from bytes. */
    record Put(String path, byte[] bytes) {}

    /**
     * Creates an object.
     *
     * @throws ObjectExistsException if the path is taken; nothing was changed
     * @throws IOException otherwise; the object may or may not be there
     */
    void put(String path, byte[] bytes) throws IOException;

    /** Creates an object from a local file, which stays where it is. Errors as {@link #put}. */
    void putFile(String path, Path file) throws IOException;

    /**
     * Creates independent objects at once, with one durability point; on an error any subset may be
     * there.
     */
    void putAll(List<Put> puts) throws IOException;

    /** The whole object. */
    byte[] get(String path) throws IOException;

    /**
     * Exactly {@code length} bytes from {@code offset}.
     *
     * @throws java.io.EOFException if the object is shorter
     */
    byte[] get(String path, long offset, int length) throws IOException;

    /** Copies an object to a local file that must not exist. */
    void download(String path, Path file) throws IOException;

    /**
     * The file that an object is, where objects are files on this machine: it can be read where it
     * is, and must not be changed. Says nothing of whether it exists.
     */
    default Optional<Path> localFile(String path) {
        return Optional.empty();
    }

    Optional<ObjectInfo> stat(String path) throws IOException;

    /** Every object whose path starts with {@code prefix}, in path order. */
    List<ObjectInfo> list(String prefix) throws IOException;

    /** Deletes an object; an absent one is fine. */
    void delete(String path) throws IOException;

    /** Deletes objects, absent ones are fine; on an error any of them may still be there. */
    default void deleteAll(List<String> paths) throws IOException {
        for (String path : paths) {
            delete(path);
        }
    }

    /** Whether it tries failed operations again itself; then nobody above it should. */
    default boolean retries() {
        return false;
    }

    /** The URI native libraries open the path by, for example {@code file:///warehouse/ns/1}. */
    String uri(String path);

    /** Options native libraries need to open {@link #uri}; empty for local files. */
    Map<String, String> nativeOptions();

    @Override
    void close() throws IOException;
}
