package io.loam.bench.ingest;

import io.loam.bench.input.Entry;

import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.vector.ipc.ArrowReader;
import org.apache.arrow.vector.types.pojo.Schema;

import java.io.IOException;
import java.util.List;

/** Entries as a stream of batches, with the text as a column of its own. */
final class EntryReader extends ArrowReader {
    private final List<Entry> entries;
    private final int vectors;
    private final int dimension;
    private int next;

    EntryReader(BufferAllocator allocator, List<Entry> entries, int vectors, int dimension) {
        super(allocator);
        this.entries = entries;
        this.vectors = vectors;
        this.dimension = dimension;
    }

    @Override
    public boolean loadNextBatch() throws IOException {
        if (next == entries.size()) {
            return false;
        }
        EntryBatch batch = new EntryBatch(getVectorSchemaRoot(), dimension);
        while (next < entries.size() && !batch.isFull()) {
            batch.add(entries.get(next++));
        }
        batch.seal();
        return true;
    }

    @Override
    public long bytesRead() {
        return 0;
    }

    @Override
    protected void closeReadSource() {}

    @Override
    protected Schema readSchema() {
        return EntryBatch.schema(true, vectors, dimension);
    }
}
