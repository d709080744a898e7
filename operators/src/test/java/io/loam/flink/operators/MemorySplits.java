package io.loam.flink.operators;

import io.loam.codec.Ulid;
import io.loam.codec.manifest.SplitRef;
import io.loam.codec.record.Document;
import io.loam.codec.schema.CollectionSchema;
import io.loam.store.spi.DeletedDocuments;
import io.loam.store.spi.SplitBuilder;
import io.loam.store.spi.SplitReader;
import io.loam.store.spi.SplitStore;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

/** Splits that are lists of row ids and keys. */
final class MemorySplits implements SplitStore {
    @Override
    public SplitBuilder newSplit(Ulid ulid, CollectionSchema schema, Path workDir) {
        return new SplitBuilder() {
            private final StringBuilder lines = new StringBuilder();
            private long docs;

            @Override
            public void add(long rowId, Document document) {
                lines.append(rowId).append(' ').append(document.key()).append('\n');
                docs++;
            }

            @Override
            public void addPlaceholder(long rowId) {
                throw new UnsupportedOperationException("only merges fill holes");
            }

            @Override
            public Built finish() throws IOException {
                Path file = workDir.resolve(ulid + ".split");
                byte[] bytes = lines.toString().getBytes(StandardCharsets.UTF_8);
                Files.write(file, bytes);
                return new Built(file, docs, bytes.length, 0, 7);
            }

            @Override
            public void close() {}
        };
    }

    @Override
    public SplitReader openBeside(
            SplitRef split, CollectionSchema current, DeletedDocuments deleted) {
        throw new UnsupportedOperationException("not needed here");
    }

    @Override
    public CollectionSchema schemaOf(SplitRef split, CollectionSchema current) {
        throw new UnsupportedOperationException("splits of memory are only written");
    }

    @Override
    public void close() {}
}
