package io.loam.flink.connector.testing;

import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileTime;
import java.util.Optional;

/** Checkpoints on disk, of jobs that may run and discard older ones meanwhile. */
public final class RetainedCheckpoints {
    private RetainedCheckpoints() {}

    /**
     * The checkpoint that was completed last.
     *
     * @param directory of the checkpoints of one job or of several; need not be there
     */
    public static Optional<Path> newest(Path directory) throws IOException {
        Newest newest = new Newest();
        Files.walkFileTree(directory, newest);
        return Optional.ofNullable(newest.path).map(Path::getParent);
    }

    private static final class Newest extends SimpleFileVisitor<Path> {
        private Path path;
        private FileTime time;

        @Override
        public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) {
            FileTime written = attributes.lastModifiedTime();
            if (file.endsWith("_metadata") && (path == null || written.compareTo(time) > 0)) {
                path = file;
                time = written;
            }
            return FileVisitResult.CONTINUE;
        }

        /** Whatever went away since its folder was read is none of the newest. */
        @Override
        public FileVisitResult visitFileFailed(Path file, IOException e) throws IOException {
            if (e instanceof NoSuchFileException) {
                return FileVisitResult.CONTINUE;
            }
            throw e;
        }

        @Override
        public FileVisitResult postVisitDirectory(Path folder, IOException e) throws IOException {
            if (e == null || e instanceof NoSuchFileException) {
                return FileVisitResult.CONTINUE;
            }
            throw e;
        }
    }
}
