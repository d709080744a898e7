package io.loam.store.read;

import io.loam.codec.CorruptException;
import io.loam.codec.hot.RowIdSet;
import io.loam.codec.key.PrimaryKey;
import io.loam.codec.manifest.CollectionManifest;
import io.loam.codec.manifest.RowIdRange;
import io.loam.codec.manifest.RowLocator;
import io.loam.codec.manifest.SplitRef;
import io.loam.store.CollectionHandle;
import io.loam.store.chain.ManifestChain;
import io.loam.store.hot.HotSearch;
import io.loam.store.object.ParallelIo;
import io.loam.store.query.SearchQuery;
import io.loam.store.spi.Projection;
import io.loam.store.spi.RowSnapshot;
import io.loam.store.spi.ScoredRow;
import io.loam.store.spi.SearchEffort;
import io.loam.store.spi.StoredRow;
import io.loam.store.tag.Tags;

import org.roaringbitmap.PeekableIntIterator;
import org.roaringbitmap.RoaringBitmap;

import javax.annotation.Nullable;

import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * Reads one version of a collection. Rows and splits are opened when first needed, splits side by
 * side. May be used from any thread.
 *
 * <p>A cold text search costs three round trips one after the other: the pointer, the manifest, and
 * then delete bitmaps and splits at once. If it reads rows, too, they are opened beside the splits.
 */
public final class CollectionReader implements AutoCloseable {
    private final CollectionHandle handle;
    private final CollectionManifest manifest;
    private final ParallelIo reads;
    private final ParallelIo bitmaps;
    private final List<OpenSplit> splits;
    private final RowLocator locator;
    private final KeyLookUps keys;
    private final RankedSearch ranked;
    private final HotSearch hot;
    private @Nullable RowSnapshot rows;
    private boolean closed;

    private CollectionReader(CollectionHandle handle, CollectionManifest manifest) {
        this.handle = handle;
        this.manifest = manifest;
        this.reads = new ParallelIo("loam-read-" + manifest.collectionId());
        this.bitmaps = new ParallelIo("loam-bitmaps-" + manifest.collectionId());
        this.splits =
                manifest.splits().stream()
                        .map(split -> new OpenSplit(handle, split, bitmaps))
                        .toList();
        this.locator = RowLocator.of(manifest.splits());
        this.keys = new KeyLookUps(splits, locator, reads);
        this.ranked = new RankedSearch(splits, locator, reads);
        this.hot = new HotSearch(handle.hotGraphs(), manifest, this::liveRowIds, this::rows);
    }

    /** Reads the live version. */
    public static CollectionReader open(CollectionHandle handle) throws IOException {
        return new CollectionReader(handle, handle.live().manifest());
    }

    /**
     * Reads the version that was live when the handle was opened, or a later one; one round trip
     * less after opening the handle.
     */
    public static CollectionReader openAsOfHandle(CollectionHandle handle) throws IOException {
        return new CollectionReader(handle, handle.liveWhenOpened().manifest());
    }

    /**
     * Reads a version that is retained, or that a tag names.
     *
     * @throws io.loam.store.chain.SnapshotExpiredException if it is neither
     */
    public static CollectionReader open(CollectionHandle handle, long version) throws IOException {
        return new CollectionReader(handle, new Tags(handle).openVersion(version));
    }

    /** Reads the version of a manifest that the caller found on the chain or by a tag. */
    public static CollectionReader of(CollectionHandle handle, CollectionManifest manifest) {
        return new CollectionReader(handle, manifest);
    }

    /**
     * Reads a tagged version.
     *
     * @throws io.loam.store.metastore.MetastoreException TAG_NOT_FOUND
     */
    public static CollectionReader openTag(CollectionHandle handle, String tag) throws IOException {
        return new CollectionReader(handle, new Tags(handle).open(tag));
    }

    /**
     * Reads the newest version that was committed at a time or before.
     *
     * @param timeMs by the clock of the metastore, since the epoch
     * @throws io.loam.store.chain.SnapshotExpiredException if it is not retained
     */
    public static CollectionReader openAsOf(CollectionHandle handle, long timeMs)
            throws IOException {
        return new CollectionReader(handle, ManifestChain.of(handle).openAsOf(timeMs));
    }

    public CollectionManifest manifest() {
        return manifest;
    }

    /** The row of a key. */
    public Optional<StoredRow> get(PrimaryKey key, Projection projection) throws IOException {
        List<Long> ids = manifest.lanceVersion() == 0 ? List.of() : keys.rows(key, this::rows);
        if (ids.size() > 1) {
            throw new CorruptException("key " + key + " has more than one row: " + ids);
        }
        if (ids.isEmpty()) {
            return Optional.empty();
        }
        List<StoredRow> taken = take(ids, projection);
        return Optional.of(taken.get(0));
    }

    /**
     * The k best documents: highest score first, equal scores by canonical key. Each split brings
     * its own k best, so among equal scores beyond k the split decides which come. Where keys are
     * all that is wanted the splits have them, and no row is read.
     */
    public List<SearchResult> search(SearchQuery query, int k, Projection projection)
            throws IOException {
        requirePositive(k);
        if (!projection.equals(Projection.KEYS)) {
            openRowsBeside();
        }
        return ranked.search(query, k, projection, this::rows);
    }

    /**
     * Has rows opened while splits are, as both wait for the store. Should that fail, whoever needs
     * the rows meets it again.
     */
    private synchronized void openRowsBeside() {
        if (rows == null && manifest.lanceVersion() != 0) {
            reads.start(manifest, any -> rows());
        }
    }

    /**
     * The k nearest rows, nearest first; by a hot graph or an index where there is one.
     *
     * @param filter only rows whose documents match it; null for all
     */
    public List<ScoredRow> nearest(
            String vector,
            float[] query,
            int k,
            @Nullable SearchQuery filter,
            Projection projection)
            throws IOException {
        return nearest(vector, query, k, filter, SearchEffort.DEFAULT, projection);
    }

    /**
     * The same with a say in how thoroughly they are looked for.
     *
     * @param filter only rows whose documents match it; null for all
     */
    public List<ScoredRow> nearest(
            String vector,
            float[] query,
            int k,
            @Nullable SearchQuery filter,
            SearchEffort effort,
            Projection projection)
            throws IOException {
        requirePositive(k);
        if (manifest.lanceVersion() == 0) {
            return List.of();
        }
        long[] allowed = filter == null ? null : rowsMatching(filter);
        if (allowed != null && allowed.length == 0) {
            return List.of();
        }
        Optional<List<ScoredRow>> found =
                hot.nearest(handle.schema(), vector, query, k, allowed, effort, projection);
        return found.isPresent()
                ? found.get()
                : rows().nearest(vector, query, k, allowed, effort, projection);
    }

    /**
     * How a search of a vector is served, in words: by a hot graph, an index, or all rows, and why
     * not by something quicker.
     */
    public String explainNearest(String vector, boolean filtered, SearchEffort effort)
            throws IOException {
        if (effort.exact()) {
            return "all rows, as the search asks for";
        }
        String graph = hot.describe(handle.schema(), vector);
        if (hot.serves(handle.schema(), vector)) {
            return graph;
        }
        boolean indexed =
                manifest.vectorIndexes().stream().anyMatch(i -> i.vectorName().equals(vector));
        String way = indexed ? "index" : filtered ? "the rows that match" : "all rows";
        return way + "; " + graph;
    }

    /** Whether searches of a vector are served from a hot graph. */
    public boolean isHot(String vector) throws IOException {
        return hot.serves(handle.schema(), vector);
    }

    /** Ids of all live rows. */
    private RowIdSet liveRowIds() throws IOException {
        List<RoaringBitmap> deleted = reads.map(splits, OpenSplit::deleted);
        RowIdSet live = new RowIdSet();
        for (int index = 0; index < splits.size(); index++) {
            List<RowIdRange> ranges = manifest.splits().get(index).ranges();
            ranges.forEach(range -> live.addRange(range.start(), range.length()));
            PeekableIntIterator gone = deleted.get(index).getIntIterator();
            while (gone.hasNext()) {
                live.remove(rowId(index, gone.next()));
            }
        }
        return live;
    }

    /** Ids of all rows whose documents match, ascending. */
    public long[] rowsMatching(SearchQuery query) throws IOException {
        List<int[]> docs = reads.map(indexes(), index -> splits.get(index).reader().matches(query));
        long[] ids = new long[docs.stream().mapToInt(found -> found.length).sum()];
        int next = 0;
        for (int index = 0; index < docs.size(); index++) {
            for (int doc : docs.get(index)) {
                ids[next++] = rowId(index, doc);
            }
        }
        Arrays.sort(ids);
        return ids;
    }

    /**
     * Ids of the rows of one split whose documents match, ascending.
     *
     * @param split index in the manifest's list
     */
    public long[] rowsMatching(int split, SearchQuery query) throws IOException {
        return Arrays.stream(splits.get(split).reader().matches(query))
                .mapToLong(doc -> rowId(split, doc))
                .sorted()
                .toArray();
    }

    /** How many live documents match. */
    public long count(SearchQuery query) throws IOException {
        return reads.map(indexes(), index -> splits.get(index).reader().count(query)).stream()
                .mapToLong(Long::longValue)
                .sum();
    }

    /** Live documents of the version, as its manifest says. */
    public long count() {
        return manifest.liveDocCount();
    }

    /**
     * Deletes local copies of splits that this version does not have, unless somebody has them
     * open: an erased document must not stay there because nobody needs the space.
     */
    public void evictOthers() throws IOException {
        handle.splits()
                .evictOthers(
                        manifest.splits().stream().map(SplitRef::ulid).collect(Collectors.toSet()));
    }

    /** The rows themselves. */
    public synchronized RowSnapshot rows() throws IOException {
        if (closed) {
            throw new IOException("the version is closed");
        }
        if (rows == null) {
            rows = handle.rows().open(manifest, handle.schema());
        }
        return rows;
    }

    private List<StoredRow> take(List<Long> ids, Projection projection) throws IOException {
        return ids.isEmpty()
                ? List.of()
                : rows().takeAll(ids.stream().mapToLong(Long::longValue).toArray(), projection);
    }

    private long rowId(int split, int doc) {
        return splits.get(split).rowId(locator, split, doc);
    }

    private List<Integer> indexes() {
        return IntStream.range(0, splits.size()).boxed().toList();
    }

    private static void requirePositive(int k) {
        if (k < 1) {
            throw new IllegalArgumentException("k must be at least 1, not " + k);
        }
    }

    @Override
    public synchronized void close() throws IOException {
        closed = true;
        hot.close();
        reads.close();
        bitmaps.close();
        IOException failure = null;
        for (OpenSplit split : splits) {
            try {
                split.close();
            } catch (IOException e) {
                failure = e;
            }
        }
        if (rows != null) {
            rows.close();
            rows = null;
        }
        if (failure != null) {
            throw failure;
        }
    }
}
