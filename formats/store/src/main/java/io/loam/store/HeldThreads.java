package io.loam.store;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.time.Instant;

/** Holds threads at armed places; {@link FailPoint} lists the files. */
final class HeldThreads {
    private static final long POLL_MS = 5;

    private final Path directory;

    HeldThreads(Path directory) {
        this.directory = directory;
    }

    void hit(String name) {
        try {
            String armed = armed(name);
            if (!armed.isEmpty() && count(name) == hit(name, armed)) {
                report(name);
                hold(directory.resolve(name + ".go"));
            }
        } catch (IOException e) {
            throw new UncheckedIOException("fail point " + name + ": " + e.getMessage(), e);
        }
    }

    /** Empty while nobody armed the place, or is about to. */
    private String armed(String name) throws IOException {
        try {
            return Files.readString(directory.resolve(name + ".armed")).strip();
        } catch (NoSuchFileException e) {
            return "";
        }
    }

    private long hit(String name, String armed) {
        try {
            return Long.parseLong(armed);
        } catch (NumberFormatException e) {
            throw new IllegalStateException(
                    directory.resolve(name + ".armed")
                            + " must hold the number of a hit, from 1, not \""
                            + armed
                            + "\"",
                    e);
        }
    }

    /** A hit belongs to whoever makes its file, so that processes count together. */
    private long count(String name) throws IOException {
        for (long number = 1; ; number++) {
            try {
                Files.createFile(directory.resolve(name + ".hit." + number));
                return number;
            } catch (FileAlreadyExistsException e) {
                continue; // counted before
            }
        }
    }

    private void report(String name) throws IOException {
        String text =
                ProcessHandle.current().pid()
                        + "\n"
                        + Thread.currentThread().getName()
                        + "\n"
                        + Instant.now()
                        + "\n";
        Path written = directory.resolve(name + ".tmp");
        try (FileChannel channel =
                FileChannel.open(written, StandardOpenOption.CREATE, StandardOpenOption.WRITE)) {
            ByteBuffer bytes = StandardCharsets.UTF_8.encode(text);
            while (bytes.hasRemaining()) {
                channel.write(bytes);
            }
            channel.force(true);
        }
        Files.move(written, directory.resolve(name + ".reached"), StandardCopyOption.ATOMIC_MOVE);
    }

    private static void hold(Path go) {
        try {
            while (!Files.exists(go)) {
                Thread.sleep(POLL_MS);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
