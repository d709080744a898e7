package io.loam.bench.ingest;

import io.loam.bench.input.Entry;

import io.indextables.tantivy4java.batch.BatchDocument;
import io.indextables.tantivy4java.batch.BatchDocumentBuilder;
import io.indextables.tantivy4java.core.Index;
import io.indextables.tantivy4java.core.IndexWriter;
import io.indextables.tantivy4java.core.Schema;
import io.indextables.tantivy4java.core.SchemaBuilder;
import io.indextables.tantivy4java.split.merge.QuickwitSplit;

import java.nio.file.Files;
import java.nio.file.Path;

/**
 * A split as Tantivy's Java binding makes it: documents in batches, Tantivy's own tokenizer, its
 * own converter at the end.
 */
final class BareSplit implements AutoCloseable {
    private static final int BATCH_BYTES = 4 << 20;
    private static final int WRITER_BYTES = 2_000_000_000;

    private final Path directory;
    private final Index index;
    private final IndexWriter writer;
    private BatchDocumentBuilder batch = new BatchDocumentBuilder();
    private int batchBytes;
    private boolean finished;

    BareSplit(Path directory) throws Exception {
        this.directory = Files.createDirectory(directory);
        try (SchemaBuilder builder = new SchemaBuilder();
                Schema schema =
                        builder.addStringField("_pk", false, true, false)
                                .addUnsignedField("_rowid", false, false, true)
                                .addTextField("title", false, false, "default", "position")
                                .addTextField("body", false, false, "default", "position")
                                .addStringField("category", false, true, true)
                                .addIntegerField("count", false, true, true)
                                .build()) {
            index = new Index(schema, directory.toString(), false);
        }
        writer = index.writer(WRITER_BYTES, 1);
    }

    void add(long rowId, Entry entry) throws Exception {
        FlatDocument parsed = FlatDocument.parse(entry.json());
        BatchDocument document = new BatchDocument();
        document.addText("_pk", entry.key());
        document.addUnsigned("_rowid", rowId);
        document.addText("title", parsed.title());
        document.addText("body", parsed.body());
        document.addText("category", parsed.category());
        document.addInteger("count", parsed.count());
        batch.addDocument(document);
        batchBytes += entry.json().length;
        if (batchBytes >= BATCH_BYTES) {
            flush();
        }
    }

    private void flush() {
        if (batchBytes > 0) {
            writer.addDocumentsByBuffer(batch.build());
            batch.close();
            batch = new BatchDocumentBuilder();
            batchBytes = 0;
        }
    }

    void finish(Path split) throws Exception {
        flush();
        writer.commit();
        close();
        QuickwitSplit.convertIndexFromPath(
                directory.toString(),
                split.toString(),
                new QuickwitSplit.SplitConfig("bench", "bench", "bench"));
    }

    @Override
    public void close() {
        if (!finished) {
            finished = true;
            writer.close();
            index.close();
        }
    }
}
