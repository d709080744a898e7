package io.loam.tantivy;

import io.loam.codec.CorruptException;
import io.loam.tantivy.DeleteOverlay.Masked;

import io.indextables.tantivy4java.core.Index;
import io.indextables.tantivy4java.core.IndexWriter;
import io.indextables.tantivy4java.core.SegmentMeta;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/**
 * Makes one segment of several without reading their documents: Tantivy writes one segment's
 * documents after the other's, and leaves deleted ones out. But it estimates how many words are
 * left then, so that scores are not those of an index without those documents.
 */
final class SegmentMerge {
    /** Nothing is indexed, and this is the least that Tantivy takes. */
    private static final int WRITER_BYTES = 15_000_000;

    private SegmentMerge() {}

    /**
     * @param splits in the order that their documents are to have, of the same fields
     * @param directory does not exist yet; the index is there afterwards
     */
    static IndexMeta run(List<Masked> splits, Path directory) throws IOException {
        for (Masked one : splits) {
            if (!one.split().meta().schema().equals(splits.get(0).split().meta().schema())) {
                throw new CorruptException(
                        one.split().directory()
                                + ": the split's fields are not those of the first");
            }
        }
        DeleteOverlay.create(splits, directory);
        List<String> segments = splits.stream().map(one -> one.split().meta().segment()).toList();
        try (Index index = Index.open(directory.toString());
                IndexWriter writer = index.writer(WRITER_BYTES, 1);
                SegmentMeta merged = writer.merge(segments)) {
            writer.waitMergingThreads();
        } catch (RuntimeException e) {
            throw new IOException("cannot merge the segments in " + directory, e);
        }
        return IndexMeta.parse(
                directory.toString(), Files.readAllBytes(directory.resolve(IndexMeta.FILE)));
    }
}
