package io.loam.jobs.demo;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Optional;
import java.util.Properties;

/**
 * How far the demo has appended, in a file beside its warehouse: written after the broker has a
 * chunk, so that a chunk may be appended twice but never left out.
 *
 * @param documents documents of the plan
 * @param vectors how many of them have vectors
 * @param chunks chunks the broker has
 */
record DemoState(int documents, int vectors, int chunks) {

    static Optional<DemoState> read(Path file) throws IOException {
        Properties properties = new Properties();
        try (InputStream in = Files.newInputStream(file)) {
            properties.load(in);
        } catch (NoSuchFileException e) {
            return Optional.empty();
        }
        return Optional.of(
                new DemoState(
                        Integer.parseInt(properties.getProperty("documents")),
                        Integer.parseInt(properties.getProperty("vectors")),
                        Integer.parseInt(properties.getProperty("chunks"))));
    }

    void write(Path file) throws IOException {
        Properties properties = new Properties();
        properties.setProperty("documents", Integer.toString(documents));
        properties.setProperty("vectors", Integer.toString(vectors));
        properties.setProperty("chunks", Integer.toString(chunks));
        Path fresh = file.resolveSibling(file.getFileName() + ".new");
        try (OutputStream out = Files.newOutputStream(fresh)) {
            properties.store(out, "how far the demo has appended");
        }
        Files.move(fresh, file, StandardCopyOption.ATOMIC_MOVE);
    }

    boolean samePlan(DemoState other) {
        return documents == other.documents && vectors == other.vectors;
    }
}
