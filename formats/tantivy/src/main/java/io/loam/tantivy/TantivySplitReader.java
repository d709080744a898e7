package io.loam.tantivy;

import io.loam.codec.CorruptException;
import io.loam.codec.schema.CollectionSchema.Modifier;
import io.loam.codec.schema.CollectionSchema.SparseField;
import io.loam.store.LocalFiles;
import io.loam.store.query.InvalidQueryException;
import io.loam.store.query.SearchQuery;
import io.loam.store.spi.SplitHit;
import io.loam.store.spi.SplitReader;

import io.indextables.tantivy4java.query.Query;
import org.roaringbitmap.RoaringBitmap;

import javax.annotation.Nullable;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.locks.ReadWriteLock;
import java.util.concurrent.locks.ReentrantReadWriteLock;

/**
 * A split opened from its local copy. Searches see the copy through a {@link DeleteOverlay} when
 * documents are deleted, look-ups of keys and row ids see all of it.
 */
final class TantivySplitReader implements SplitReader {
    /** Gives the local copy back. */
    interface Release {
        void run() throws IOException;
    }

    private final LocalSplit split;
    private final TantivyLayout layout;
    private final int liveDocuments;
    @Nullable private final Path overlay;
    private final SearcherPool live;
    private final Release release;

    /** Held shared by every call, so that closing waits for them. */
    private final ReadWriteLock open = new ReentrantReadWriteLock();

    @Nullable private SearcherPool everything;
    @Nullable private Optional<KeyColumn> keys;
    private boolean closed;

    TantivySplitReader(
            LocalSplit split,
            TantivyLayout layout,
            @Nullable RoaringBitmap deleted,
            Path overlayDirectory,
            Release release)
            throws IOException {
        this.split = split;
        this.layout = layout;
        this.release = release;
        boolean masked = deleted != null && !deleted.isEmpty();
        this.overlay = masked ? overlayDirectory : null;
        this.liveDocuments = docCount() - (masked ? deleted.getCardinality() : 0);
        try {
            if (masked) {
                DeleteOverlay.create(split, deleted, overlayDirectory);
            }
            this.live = new SearcherPool(masked ? overlayDirectory : split.directory());
        } catch (IOException | RuntimeException e) {
            LocalFiles.delete(overlayDirectory);
            throw e;
        }
    }

    @Override
    public int docCount() {
        return Math.toIntExact(split.meta().docCount());
    }

    private interface Search<T> {
        T run(NativeQueries queries) throws IOException;
    }

    private <T> T guarded(SearcherPool pool, Search<T> search) throws IOException {
        try (NativeQueries queries = pool.queries()) {
            return search.run(queries);
        } catch (InvalidQueryException | CorruptException e) {
            throw e;
        } catch (RuntimeException e) {
            throw new IOException("cannot search the split in " + split.directory(), e);
        }
    }

    private <T> T whileOpen(Search<T> search, boolean deletedToo) throws IOException {
        open.readLock().lock();
        try {
            if (closed) {
                throw new IOException("the split is closed");
            }
            return guarded(deletedToo ? everything() : live, search);
        } finally {
            open.readLock().unlock();
        }
    }

    @Override
    public List<SplitHit> search(SearchQuery query, int k) throws IOException {
        if (k <= 0) {
            return List.of();
        }
        int limit = Math.min(k, docCount());
        return whileOpen(queries -> search(queries, query, limit), false);
    }

    private List<SplitHit> search(NativeQueries queries, SearchQuery query, int limit) {
        SearchQuery.Sparse sparse = sparse(query);
        Query compiled = new QueryCompiler(layout, queries).compile(query);
        if (sparse != null) {
            List<SplitHit> hits =
                    SparseScorer.search(
                            live,
                            queries,
                            sparse,
                            compiled,
                            modifier(sparse.vector()),
                            docCount(),
                            liveDocuments);
            return List.copyOf(hits.subList(0, Math.min(limit, hits.size())));
        }
        if (!QueryCompiler.isRanked(query)) {
            compiled = queries.scored(compiled, 1);
        }
        return live.search(compiled, limit);
    }

    /** The sparse leaf that scores the query: the whole of it, or the one thing it must match. */
    @Nullable
    private static SearchQuery.Sparse sparse(SearchQuery query) {
        if (query instanceof SearchQuery.Sparse sparse) {
            return sparse;
        }
        if (!(query instanceof SearchQuery.Bool bool)) {
            return null;
        }
        boolean scores =
                bool.must().size() == 1
                        && bool.must().get(0) instanceof SearchQuery.Sparse
                        && bool.should().isEmpty();
        if (scores) {
            return (SearchQuery.Sparse) bool.must().get(0);
        }
        boolean mixed =
                bool.must().stream().anyMatch(part -> sparse(part) != null)
                        || bool.should().stream().anyMatch(part -> sparse(part) != null);
        if (mixed) {
            throw new InvalidQueryException(
                    "a sparse vector scores alone or with filters, not beside other parts");
        }
        return null;
    }

    private Modifier modifier(String vector) {
        return layout.sparse().stream()
                .filter(field -> field.name().equals(vector))
                .map(SparseField::modifier)
                .findFirst()
                .orElseThrow();
    }

    @Override
    public long count(SearchQuery query) throws IOException {
        return matches(query).length;
    }

    @Override
    public int[] matches(SearchQuery query) throws IOException {
        return whileOpen(
                queries -> docs(live, new QueryCompiler(layout, queries).compile(query)), false);
    }

    private int[] docs(SearcherPool pool, Query query) {
        return pool.search(query, docCount()).stream().mapToInt(SplitHit::doc).sorted().toArray();
    }

    @Override
    public int[] docsOfKey(byte[] canonicalKey) throws IOException {
        return whileOpen(queries -> docs(everything(), queries.key(canonicalKey)), true);
    }

    @Override
    public int[] docsOfRowId(long rowId) throws IOException {
        return whileOpen(
                queries -> docs(everything(), queries.term(TantivyLayout.ROW_ID, rowId)), true);
    }

    @Override
    @Nullable
    public List<byte[]> keysOf(int[] docs) throws IOException {
        open.readLock().lock();
        try {
            if (closed) {
                throw new IOException("the split is closed");
            }
            return keys().map(column -> Arrays.stream(docs).mapToObj(column::key).toList())
                    .orElse(null);
        } finally {
            open.readLock().unlock();
        }
    }

    private synchronized Optional<KeyColumn> keys() throws IOException {
        if (keys == null) {
            String name = split.meta().segment() + ".fast";
            Path file = split.directory().resolve(name);
            keys = Optional.ofNullable(KeyColumn.open(file, file.toString(), docCount()));
        }
        return keys;
    }

    private synchronized SearcherPool everything() throws IOException {
        if (overlay == null) {
            return live;
        }
        if (everything == null) {
            everything = new SearcherPool(split.directory());
        }
        return everything;
    }

    @Override
    public void close() throws IOException {
        open.writeLock().lock();
        try {
            if (closed) {
                return;
            }
            closed = true;
            live.close();
            if (everything != null) {
                everything.close();
            }
            if (overlay != null) {
                LocalFiles.delete(overlay);
            }
            release.run();
        } finally {
            open.writeLock().unlock();
        }
    }
}
