package io.loam.jobs;

import javax.annotation.Nullable;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/** A file that one process at a time holds; the lock ends with its channel or its process. */
public final class LockFile {
    private LockFile() {}

    /** Makes the file and takes its lock; null if somebody holds it. */
    @Nullable
    public static FileLock tryLock(Path file) throws IOException {
        FileChannel channel =
                FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.WRITE);
        FileLock lock = null;
        try {
            lock = channel.tryLock();
        } catch (OverlappingFileLockException e) {
            // Held by this very process, which is as good as held by another.
            lock = null;
        }
        if (lock == null) {
            channel.close();
        }
        return lock;
    }
}
