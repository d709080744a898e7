package io.loam.store.spi;

import io.loam.store.query.SearchQuery;

import javax.annotation.Nullable;

import java.io.IOException;
import java.util.List;

/** One opened split with its delete bitmap applied to searches. May be used from any thread. */
public interface SplitReader extends AutoCloseable {
    /** Documents of the split, deleted ones included. */
    int docCount();

    /** The k best live documents, best first, ties by document id. */
    List<SplitHit> search(SearchQuery query, int k) throws IOException;

    /** How many live documents match. */
    long count(SearchQuery query) throws IOException;

    /** Every live matching document id, ascending. */
    int[] matches(SearchQuery query) throws IOException;

    /** Document ids, deleted ones included, whose {@code _pk} is these canonical bytes. */
    int[] docsOfKey(byte[] canonicalKey) throws IOException;

    /** Document ids, deleted ones included, whose {@code _rowid} is this. */
    int[] docsOfRowId(long rowId) throws IOException;

    /**
     * Canonical keys of documents, deleted ones included, as the split itself has them.
     *
     * @return in the order of the documents; null if the split cannot tell, which its rows can
     */
    @Nullable
    default List<byte[]> keysOf(int[] docs) throws IOException {
        return null;
    }

    @Override
    void close() throws IOException;
}
