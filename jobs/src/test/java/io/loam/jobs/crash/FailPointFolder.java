package io.loam.jobs.crash;

import io.loam.store.FailPoint;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/** The directory through which fail points are armed and held processes let go. */
final class FailPointFolder {
    private final Path folder;

    FailPointFolder(Path folder) throws IOException {
        this.folder = Files.createDirectories(folder);
    }

    Path path() {
        return folder;
    }

    void arm(FailPoint point, int hit) throws IOException {
        Path written = folder.resolve("arming");
        Files.writeString(written, Integer.toString(hit));
        Files.move(written, folder.resolve(point + ".armed"), StandardCopyOption.ATOMIC_MOVE);
    }

    /** Process that is held at the point, or nothing if none came there in time. */
    Optional<Long> awaitReached(FailPoint point, Duration patience)
            throws IOException, InterruptedException {
        Path reached = folder.resolve(point + ".reached");
        long deadline = System.nanoTime() + patience.toNanos();
        while (!Files.exists(reached)) {
            if (System.nanoTime() > deadline) {
                return Optional.empty();
            }
            TimeUnit.MILLISECONDS.sleep(5);
        }
        return Optional.of(Long.parseLong(Files.readAllLines(reached).get(0)));
    }

    void letGo(FailPoint point) throws IOException {
        Files.writeString(folder.resolve(point + ".go"), "");
    }

    /** Disarms every point; whoever is held goes on. */
    void clear(FailPoint point) throws IOException, InterruptedException {
        Files.deleteIfExists(folder.resolve(point + ".armed"));
        letGo(point);
        TimeUnit.MILLISECONDS.sleep(100);
        try (Stream<Path> files = Files.list(folder)) {
            for (Path file : (Iterable<Path>) files::iterator) {
                Files.deleteIfExists(file);
            }
        }
    }

    /** What is there, for messages. */
    List<String> names() throws IOException {
        try (Stream<Path> files = Files.list(folder)) {
            return files.map(file -> file.getFileName().toString()).sorted().toList();
        }
    }
}
