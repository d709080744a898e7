package io.loam.bench.ingest;

import io.loam.bench.input.Entry;

import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.memory.RootAllocator;
import org.lance.file.LanceFileWriter;

import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;

/** A data file by Lance's file writer, of key, source and vectors. */
final class BareLanceFile implements AutoCloseable {
    private final BufferAllocator allocator = new RootAllocator();
    private final EntryBatch batch;
    private final LanceFileWriter writer;

    BareLanceFile(Path file, int vectors, int dimension) throws Exception {
        batch = new EntryBatch(allocator, vectors, dimension);
        writer =
                LanceFileWriter.open(
                        file.toString(), allocator, null, Optional.of("2.1"), Map.of());
    }

    void add(Entry entry) throws Exception {
        batch.add(entry);
        if (batch.isFull()) {
            write();
        }
    }

    private void write() throws Exception {
        batch.seal();
        writer.write(batch.root());
        batch.clear();
    }

    @Override
    public void close() throws Exception {
        try (allocator;
                batch;
                writer) {
            if (batch.rows() > 0) {
                write();
            }
        }
    }
}
