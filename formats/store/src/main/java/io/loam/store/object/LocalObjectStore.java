package io.loam.store.object;

import java.io.EOFException;
import java.io.IOException;
import java.net.URI;
import java.net.URISyntaxException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Objects as files of one local directory, the object's path being the file's path below it.
 *
 * <p>Putting an object writes a file in the hidden directory {@code .tmp} of the root, forces it to
 * disk, hard-links it to its place (which fails if the place is taken, whoever raced for it) and
 * forces the directories involved. Whatever moment the process or the machine dies at, the object
 * is there whole or not at all; what is left in {@code .tmp} is removed by a later open.
 *
 * <p>An object and the prefix of another cannot share a name: {@code a} and {@code a/b} exclude
 * each other here. The root is created by the first put.
 */
public final class LocalObjectStore implements ObjectStore {
    private final Path root;
    private final LocalPublisher publisher;

    private LocalObjectStore(Path root) {
        this.root = root;
        this.publisher = new LocalPublisher(root);
    }

    /**
     * Opens a root that need not exist yet.
     *
     * @throws IOException if the root is there and is not a directory
     */
    public static LocalObjectStore open(Path root) throws IOException {
        Path absolute = root.toAbsolutePath().normalize();
        if (Files.exists(absolute) && !Files.isDirectory(absolute)) {
            throw new IOException(
                    "the warehouse " + absolute + " is not a directory; give a directory's path");
        }
        LocalObjectStore store = new LocalObjectStore(absolute);
        store.publisher.removeAbandoned();
        return store;
    }

    /**
     * Makes sure that objects can be written, creating the root if it is absent.
     *
     * @throws IOException if they cannot, naming the root and the reason
     */
    public void requireWritable() throws IOException {
        publisher.prepare();
    }

    @Override
    public void put(String path, byte[] bytes) throws IOException {
        publisher.publish(List.of(new LocalPublisher.Source(path, resolve(path), bytes, null)));
    }

    @Override
    public void putFile(String path, Path file) throws IOException {
        publisher.publish(List.of(new LocalPublisher.Source(path, resolve(path), null, file)));
    }

    @Override
    public void putAll(List<Put> puts) throws IOException {
        publisher.publish(
                puts.stream()
                        .map(
                                put ->
                                        new LocalPublisher.Source(
                                                put.path(), resolve(put.path()), put.bytes(), null))
                        .toList());
    }

    @Override
    public byte[] get(String path) throws IOException {
        try (FileChannel channel = openObject(path)) {
            long size = channel.size();
            if (size > Integer.MAX_VALUE - 8) {
                throw new IOException(path + " has " + size + " bytes, too many for one array");
            }
            return read(channel, path, 0, (int) size);
        }
    }

    @Override
    public byte[] get(String path, long offset, int length) throws IOException {
        if (offset < 0 || length < 0) {
            throw new IllegalArgumentException(
                    "a range must not be negative: offset " + offset + ", length " + length);
        }
        try (FileChannel channel = openObject(path)) {
            long size = channel.size();
            if (offset > size - length) {
                throw new EOFException(
                        path + " has " + size + " bytes, not " + length + " from " + offset);
            }
            return read(channel, path, offset, length);
        }
    }

    private static byte[] read(FileChannel channel, String path, long offset, int length)
            throws IOException {
        ByteBuffer buffer = ByteBuffer.allocate(length);
        while (buffer.hasRemaining()) {
            if (channel.read(buffer, offset + buffer.position()) < 0) {
                throw new EOFException(path + " ended at " + (offset + buffer.position()));
            }
        }
        return buffer.array();
    }

    @Override
    public void download(String path, Path file) throws IOException {
        try (FileChannel from = openObject(path);
                FileChannel to =
                        FileChannel.open(
                                file, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE)) {
            LocalPublisher.copy(from, to);
        }
    }

    @Override
    public Optional<Path> localFile(String path) {
        return Optional.of(resolve(path));
    }

    @Override
    public Optional<ObjectInfo> stat(String path) throws IOException {
        Path file = resolve(path);
        try {
            BasicFileAttributes attributes = Files.readAttributes(file, BasicFileAttributes.class);
            return attributes.isRegularFile()
                    ? Optional.of(LocalListing.info(path, attributes))
                    : Optional.empty();
        } catch (FileSystemException e) {
            if (absent(e, file)) {
                return Optional.empty();
            }
            throw e;
        }
    }

    @Override
    public List<ObjectInfo> list(String prefix) throws IOException {
        return LocalListing.list(root, prefix);
    }

    @Override
    public void delete(String path) throws IOException {
        Path file = resolve(path);
        if (Files.isDirectory(file)) {
            return;
        }
        try {
            Files.deleteIfExists(file);
        } catch (FileSystemException e) {
            if (!absent(e, file)) {
                throw e;
            }
        }
    }

    @Override
    public String uri(String path) {
        String file = resolve(path).toString();
        try {
            return new URI("file", "", file, null, null).toASCIIString();
        } catch (URISyntaxException e) {
            throw new IllegalArgumentException("no URI for " + file, e);
        }
    }

    @Override
    public Map<String, String> nativeOptions() {
        return Map.of();
    }

    @Override
    public void close() {
        publisher.close();
    }

    private FileChannel openObject(String path) throws IOException {
        Path file = resolve(path);
        if (Files.isDirectory(file)) {
            throw new ObjectNotFoundException(path);
        }
        try {
            return FileChannel.open(file, StandardOpenOption.READ);
        } catch (FileSystemException e) {
            if (absent(e, file)) {
                throw new ObjectNotFoundException(path);
            }
            throw e;
        }
    }

    /** A segment of the path being a file makes the object as absent as a missing file does. */
    private boolean absent(FileSystemException e, Path file) {
        if (e instanceof NoSuchFileException) {
            return true;
        }
        for (Path p = file.getParent(); p != null && !p.equals(root); p = p.getParent()) {
            if (Files.isRegularFile(p)) {
                return true;
            }
        }
        return false;
    }

    private Path resolve(String path) {
        return root.resolve(ObjectPaths.requireValid(path));
    }

    @Override
    public String toString() {
        return root.toString();
    }
}
