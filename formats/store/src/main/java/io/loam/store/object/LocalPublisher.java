package io.loam.store.object;

import javax.annotation.Nullable;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.DirectoryStream;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Future;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/** Makes files appear whole, durable and only once; see {@link LocalObjectStore} for the steps. */
final class LocalPublisher {
    private static final String TEMPORARY = ".tmp";
    private static final int THREADS = 4;
    private static final int IDLE_SECONDS = 10;
    private static final int REMEMBERED_DIRECTORIES = 10_000;

    /** No put takes this long, so a temporary file this old belongs to a process that died. */
    private static final Duration ABANDONED_AFTER = Duration.ofDays(1);

    /** What to publish: bytes or a file. */
    record Source(String path, Path target, @Nullable byte[] bytes, @Nullable Path file) {}

    private final Path root;
    private final Path temporary;
    private final ExecutorService writers = writers();

    /** Directories whose own entry this process has forced to disk. */
    private final Set<Path> durable = ConcurrentHashMap.newKeySet();

    LocalPublisher(Path root) {
        this.root = root;
        this.temporary = root.resolve(TEMPORARY);
    }

    private static ExecutorService writers() {
        ThreadPoolExecutor pool =
                new ThreadPoolExecutor(
                        THREADS,
                        THREADS,
                        IDLE_SECONDS,
                        TimeUnit.SECONDS,
                        new LinkedBlockingQueue<>(),
                        task -> {
                            Thread thread = new Thread(task, "loam-object-writer");
                            thread.setDaemon(true);
                            return thread;
                        });
        pool.allowCoreThreadTimeOut(true);
        return pool;
    }

    /** Makes the root and its hidden directory, and tries them. */
    void prepare() throws IOException {
        try {
            createDirectories(temporary);
            Path probe = temporary.resolve(UUID.randomUUID().toString());
            Files.createFile(probe);
            Files.delete(probe);
        } catch (IOException e) {
            throw new IOException("the warehouse " + root + " is not writable: " + e, e);
        }
    }

    void publish(List<Source> sources) throws IOException {
        if (!Files.isDirectory(temporary)) {
            prepare();
        }
        List<Path> written = new ArrayList<>();
        for (int i = 0; i < sources.size(); i++) {
            written.add(temporary.resolve(UUID.randomUUID().toString()));
        }
        try {
            writeAll(sources, written);
            linkAll(sources, written);
        } finally {
            for (Path file : written) {
                Files.deleteIfExists(file);
            }
        }
    }

    private void writeAll(List<Source> sources, List<Path> files) throws IOException {
        if (sources.size() == 1) {
            write(sources.get(0), files.get(0));
            return;
        }
        List<Future<?>> pending = new ArrayList<>();
        for (int i = 0; i < sources.size(); i++) {
            Source source = sources.get(i);
            Path file = files.get(i);
            pending.add(
                    writers.submit(
                            () -> {
                                write(source, file);
                                return null;
                            }));
        }
        await(pending);
    }

    /** Waits for all of them, even after a failure: nobody may write once we clean up. */
    private static void await(List<Future<?>> pending) throws IOException {
        IOException failure = null;
        boolean interrupted = false;
        for (Future<?> future : pending) {
            boolean done = false;
            while (!done) {
                try {
                    future.get();
                    done = true;
                } catch (InterruptedException e) {
                    interrupted = true;
                } catch (ExecutionException e) {
                    failure = first(failure, new IOException(e.getCause().getMessage(), e));
                    done = true;
                }
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
        if (failure != null) {
            throw failure;
        }
    }

    private static void write(Source source, Path file) throws IOException {
        try (FileChannel to =
                FileChannel.open(file, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE)) {
            fill(source, to);
            to.force(true);
        } catch (IOException e) {
            throw new IOException("cannot write " + source.path() + ": " + e, e);
        }
    }

    private static void fill(Source source, FileChannel to) throws IOException {
        if (source.file() != null) {
            try (FileChannel from = FileChannel.open(source.file(), StandardOpenOption.READ)) {
                copy(from, to);
            }
            return;
        }
        ByteBuffer buffer = ByteBuffer.wrap(source.bytes());
        while (buffer.hasRemaining()) {
            to.write(buffer);
        }
    }

    static void copy(FileChannel from, FileChannel to) throws IOException {
        long size = from.size();
        long done = 0;
        while (done < size) {
            long count = from.transferTo(done, size - done, to);
            if (count <= 0) {
                throw new IOException("a file of " + size + " bytes ended at " + done);
            }
            done += count;
        }
    }

    private void linkAll(List<Source> sources, List<Path> files) throws IOException {
        Set<Path> directories = new LinkedHashSet<>();
        IOException failure = null;
        for (int i = 0; i < sources.size(); i++) {
            Source source = sources.get(i);
            Path directory = source.target().getParent();
            try {
                createDirectories(directory);
                Files.createLink(source.target(), files.get(i));
                directories.add(directory);
            } catch (FileAlreadyExistsException e) {
                // The winner may not have forced its directory yet; whoever hears "it exists" may
                // build on it.
                directories.add(directory);
                failure = first(failure, new ObjectExistsException(source.path()));
            } catch (IOException | UnsupportedOperationException e) {
                failure =
                        first(
                                failure,
                                new IOException("cannot create " + source.path() + ": " + e, e));
            }
        }
        for (Path directory : directories) {
            forceDirectory(directory);
        }
        if (failure != null) {
            throw failure;
        }
    }

    private static IOException first(@Nullable IOException failure, IOException next) {
        if (failure == null) {
            return next;
        }
        failure.addSuppressed(next);
        return failure;
    }

    /**
     * Creates missing directories. One that another process made is forced again: that process may
     * not have come to it yet.
     */
    private void createDirectories(Path directory) throws IOException {
        if (durable.contains(directory)) {
            return;
        }
        boolean below = directory.startsWith(root) && !directory.equals(root);
        if (!below && Files.isDirectory(directory)) {
            return;
        }
        Path parent = directory.getParent();
        if (parent != null) {
            createDirectories(parent);
        }
        try {
            Files.createDirectory(directory);
        } catch (FileAlreadyExistsException e) {
            if (!Files.isDirectory(directory)) {
                throw new IOException(directory + " is an object, not a folder", e);
            }
        }
        if (parent != null) {
            forceDirectory(parent);
        }
        if (durable.size() >= REMEMBERED_DIRECTORIES) {
            durable.clear();
        }
        durable.add(directory);
    }

    private static void forceDirectory(Path directory) throws IOException {
        try (FileChannel channel = FileChannel.open(directory, StandardOpenOption.READ)) {
            channel.force(true);
        }
    }

    /** Removes what dead processes left half written. */
    void removeAbandoned() throws IOException {
        if (!Files.isDirectory(temporary)) {
            return;
        }
        long before = System.currentTimeMillis() - ABANDONED_AFTER.toMillis();
        try (DirectoryStream<Path> files = Files.newDirectoryStream(temporary)) {
            for (Path file : files) {
                try {
                    if (Files.getLastModifiedTime(file).toMillis() < before) {
                        Files.deleteIfExists(file);
                    }
                } catch (NoSuchFileException e) {
                    // Its writer finished meanwhile, which is as good.
                    continue;
                }
            }
        }
    }

    void close() {
        writers.shutdown();
    }
}
