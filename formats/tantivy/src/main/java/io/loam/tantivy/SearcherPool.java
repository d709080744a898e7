package io.loam.tantivy;

import io.loam.store.spi.SplitHit;

import io.indextables.tantivy4java.core.DocAddress;
import io.indextables.tantivy4java.core.Document;
import io.indextables.tantivy4java.core.Index;
import io.indextables.tantivy4java.core.Schema;
import io.indextables.tantivy4java.core.Searcher;
import io.indextables.tantivy4java.query.Query;
import io.indextables.tantivy4java.result.SearchResult;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.Function;

/** An index opened from a directory. A native searcher serves one thread at a time. */
final class SearcherPool implements AutoCloseable {
    /** Documents whose stored values are fetched in one call. */
    private static final int FETCH_DOCUMENTS = 4096;

    private final Index index;
    private final Schema schema;
    private final Queue<Searcher> idle = new ConcurrentLinkedQueue<>();

    SearcherPool(Path directory) throws IOException {
        try {
            this.index = Index.open(directory.toString());
            this.schema = index.getSchema();
            idle.add(index.searcher());
        } catch (RuntimeException e) {
            throw new IOException("cannot open the index in " + directory, e);
        }
    }

    private interface Action<T> {
        T on(Searcher searcher);
    }

    private <T> T borrow(Action<T> action) {
        Searcher searcher = idle.poll();
        if (searcher == null) {
            searcher = index.searcher();
        }
        try {
            return action.on(searcher);
        } finally {
            idle.add(searcher);
        }
    }

    /** Queries of this index; to be closed. */
    NativeQueries queries() {
        return new NativeQueries(index, schema);
    }

    /**
     * The best live documents of a query, best first, ties by document id.
     *
     * @param limit at least 1
     */
    List<SplitHit> search(Query query, int limit) {
        return borrow(
                searcher -> {
                    try (SearchResult result = searcher.search(query, limit)) {
                        List<SearchResult.Hit> found = result.getHits();
                        List<SplitHit> hits = new ArrayList<>(found.size());
                        for (SearchResult.Hit hit : found) {
                            try (DocAddress address = hit.getDocAddress()) {
                                hits.add(new SplitHit(address.getDoc(), (float) hit.getScore()));
                            }
                        }
                        return hits;
                    }
                });
    }

    /** A stored bytes field of some documents, in their order. */
    <T> List<T> stored(List<SplitHit> hits, String field, Function<byte[], T> decoder) {
        List<T> values = new ArrayList<>(hits.size());
        for (int from = 0; from < hits.size(); from += FETCH_DOCUMENTS) {
            int to = Math.min(hits.size(), from + FETCH_DOCUMENTS);
            fetch(hits.subList(from, to), field).forEach(bytes -> values.add(decoder.apply(bytes)));
        }
        return values;
    }

    private List<byte[]> fetch(List<SplitHit> hits, String field) {
        List<DocAddress> addresses =
                hits.stream().map(hit -> new DocAddress(0, hit.doc())).toList();
        try {
            return borrow(
                    searcher -> {
                        List<byte[]> values = new ArrayList<>(hits.size());
                        for (Document document : searcher.docBatch(addresses, Set.of(field))) {
                            try (document) {
                                values.add((byte[]) document.getFirst(field));
                            }
                        }
                        return values;
                    });
        } finally {
            addresses.forEach(DocAddress::close);
        }
    }

    @Override
    public void close() {
        idle.forEach(Searcher::close);
        idle.clear();
        schema.close();
        index.close();
    }
}
