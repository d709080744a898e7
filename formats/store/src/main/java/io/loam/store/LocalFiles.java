package io.loam.store;

import java.io.IOException;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.concurrent.locks.LockSupport;

/** Working files on local disk, of row files, splits and caches. */
public final class LocalFiles {
    private static final int MAX_ATTEMPTS = 100;
    private static final long PAUSE_NANOS = 20_000_000;

    private LocalFiles() {}

    /**
     * Deletes a file or a directory with everything in it; an absent one is fine. Threads of a
     * native library may still make and remove lock files in an index that was just closed, so it
     * tries again for a while.
     */
    public static void delete(Path root) throws IOException {
        for (int attempt = 1; ; attempt++) {
            try {
                deleteOnce(root);
                return;
            } catch (DirectoryNotEmptyException e) {
                if (attempt == MAX_ATTEMPTS) {
                    throw e;
                }
                LockSupport.parkNanos(PAUSE_NANOS);
            }
        }
    }

    private static void deleteOnce(Path root) throws IOException {
        if (Files.notExists(root)) {
            return;
        }
        Files.walkFileTree(
                root,
                new SimpleFileVisitor<>() {
                    @Override
                    public FileVisitResult visitFile(Path file, BasicFileAttributes attributes)
                            throws IOException {
                        Files.deleteIfExists(file);
                        return FileVisitResult.CONTINUE;
                    }

                    @Override
                    public FileVisitResult visitFileFailed(Path file, IOException e)
                            throws IOException {
                        // A lock file that was just removed.
                        if (e instanceof NoSuchFileException) {
                            return FileVisitResult.CONTINUE;
                        }
                        throw e;
                    }

                    @Override
                    public FileVisitResult postVisitDirectory(Path directory, IOException e)
                            throws IOException {
                        Files.deleteIfExists(directory);
                        return FileVisitResult.CONTINUE;
                    }
                });
    }
}
