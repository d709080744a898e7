package io.loam.store.hot;

import io.loam.codec.hot.RowIdSet;
import io.loam.codec.manifest.CollectionManifest;
import io.loam.codec.manifest.HotArtifactRef;
import io.loam.codec.schema.CollectionSchema;
import io.loam.codec.schema.CollectionSchema.Vector;
import io.loam.codec.schema.VectorColumns;
import io.loam.store.spi.HotGraph;
import io.loam.store.spi.Projection;
import io.loam.store.spi.RowSnapshot;
import io.loam.store.spi.ScoredRow;
import io.loam.store.spi.SearchEffort;

import javax.annotation.Nullable;

import java.io.IOException;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.LongPredicate;
import java.util.stream.LongStream;

/**
 * Searches one version by its hot graphs: the graph for rows below its next row id, those from
 * there on in memory beside it, rows deleted since left out. Both only choose candidates, which are
 * ranked by their stored vectors, so that distances are those of an exact search. May be used from
 * any thread.
 *
 * <p>Nobody is served from a graph that has too many deleted rows, or too many rows beside it, or
 * that does not know a row it should.
 */
public final class HotSearch implements AutoCloseable {
    /** More deleted rows than this, or rows beside a graph, and it is not served. */
    static final int MOST_ROWS = 100_000;

    /** Vectors beside a graph take no more memory than this, or it is not served. */
    private static final long MOST_BYTES = 128L << 20;

    /** With fewer rows allowed it is quicker to compare all of them. */
    private static final int FEW_ROWS = 1_000;

    private static final int LEAST_IN_VIEW = 100;
    private static final int MOST_IN_VIEW = 10_000;
    private static final int LEAST_MORE_CANDIDATES = 16;

    /** How far apart a graph may see equal distances, as a share of them. */
    private static final double ROUNDING = 1e-5;

    private final HotGraphs graphs;
    private final CollectionManifest manifest;
    private final Source<RowIdSet> live;
    private final Source<RowSnapshot> rows;
    private final int mostRows;
    private final Map<String, View> views = new HashMap<>();
    private boolean closed;

    /** Something that is read when it is first needed. */
    public interface Source<T> {
        T get() throws IOException;
    }

    /**
     * @param live ids of all live rows of the version
     */
    public HotSearch(
            HotGraphs graphs,
            CollectionManifest manifest,
            Source<RowIdSet> live,
            Source<RowSnapshot> rows) {
        this(graphs, manifest, live, rows, MOST_ROWS);
    }

    /** With another limit of deleted rows, and of rows beside. */
    HotSearch(
            HotGraphs graphs,
            CollectionManifest manifest,
            Source<RowIdSet> live,
            Source<RowSnapshot> rows,
            int mostRows) {
        this.mostRows = mostRows;
        this.graphs = graphs;
        this.manifest = manifest;
        this.live = live;
        this.rows = rows;
    }

    /**
     * A column of the version.
     *
     * @param held null if it is not served
     * @param state in words
     * @param live null if no row of the graph was deleted
     */
    private record View(
            @Nullable HotGraphs.Held held,
            String state,
            @Nullable RowIdSet live,
            @Nullable RowsBeside beside) {
        static View none(String why) {
            return new View(null, why, null, null);
        }
    }

    /** Whether a vector is served from its graph, or why not. */
    public String describe(CollectionSchema schema, String vector) throws IOException {
        return view(schema, vector).state();
    }

    /**
     * The k nearest rows, nearest first, ties by key.
     *
     * @param allowed if given, ids of live rows, ascending; only these
     * @return nothing if another way of searching is to be used
     */
    public Optional<List<ScoredRow>> nearest(
            CollectionSchema schema,
            String vector,
            float[] query,
            int k,
            @Nullable long[] allowed,
            SearchEffort effort,
            Projection projection)
            throws IOException {
        if (effort.exact()
                || manifest.hotArtifacts().isEmpty()
                || allowed != null && allowed.length <= FEW_ROWS) {
            return Optional.empty();
        }
        View view = view(schema, vector);
        if (view.held() == null || query.length != view.held().open.descriptor().spec().dim()) {
            return Optional.empty();
        }
        boolean nowhere = view.held().open.descriptor().spec().distance().isNowhere(query);
        Optional<long[]> candidates =
                nowhere ? Optional.empty() : candidates(view, query, k, allowed, effort);
        if (candidates.isEmpty() || candidates.get().length < k) {
            return Optional.empty();
        }
        List<ScoredRow> found =
                rows.get()
                        .nearest(
                                vector, query, k, candidates.get(), SearchEffort.EXACT, projection);
        return found.size() < k ? Optional.empty() : Optional.of(found);
    }

    private static Optional<long[]> candidates(
            View view, float[] query, int k, @Nullable long[] allowed, SearchEffort effort)
            throws IOException {
        LongPredicate among = allowed == null ? null : id -> Arrays.binarySearch(allowed, id) >= 0;
        LongPredicate wanted = among;
        if (among == null && view.live() != null) {
            wanted = view.live()::contains;
        }
        long inView = Math.min(MOST_IN_VIEW, (long) k * effort.candidates());
        int most = (int) Math.max(Math.max(LEAST_IN_VIEW, inView), 2L * k);
        int visits = allowed == null ? Integer.MAX_VALUE : Math.max(most, allowed.length);
        Optional<HotGraph.Found> found =
                view.held().open.graph().nearest(query, most, wanted, visits);
        if (found.isEmpty()) {
            return Optional.empty();
        }
        HotGraph.Found beside =
                view.beside().nearest(query, most, among == null ? id -> true : among);
        return Optional.of(
                LongStream.concat(worthRanking(found.get(), k), worthRanking(beside, k))
                        .sorted()
                        .distinct()
                        .toArray());
    }

    /** Some more than asked for, and all that are about as near as the last of those. */
    private static LongStream worthRanking(HotGraph.Found found, int k) {
        double[] distances = found.distances();
        int ranked = Math.min(distances.length, k + Math.max(k, LEAST_MORE_CANDIDATES));
        if (ranked < distances.length) {
            double last = distances[k - 1];
            double about = last + Math.abs(last) * ROUNDING;
            while (ranked < distances.length && distances[ranked] <= about) {
                ranked++;
            }
        }
        return Arrays.stream(found.rowIds()).limit(ranked);
    }

    private synchronized View view(CollectionSchema schema, String vector) throws IOException {
        if (closed) {
            throw new IllegalStateException("the reader was closed");
        }
        View view = views.get(vector);
        if (view == null) {
            view = open(schema, vector);
            views.put(vector, view);
        }
        return view;
    }

    private View open(CollectionSchema schema, String name) throws IOException {
        int position = VectorColumns.densePosition(schema, name).orElse(-1);
        Optional<HotArtifactRef> artifact =
                position < 0
                        ? Optional.empty()
                        : manifest.hotArtifact(VectorColumns.dense(position))
                                .filter(ref -> ref.kind().equals(HotObjects.KIND));
        if (artifact.isEmpty()) {
            return View.none("there is no hot graph");
        }
        Vector vector = schema.vectors().get(position);
        HotGraphs.Held held = graphs.acquire(artifact.get(), vector);
        if (held == null) {
            return View.none("its hot graph is of another engine");
        }
        boolean served = false;
        try {
            View view = open(held, vector);
            served = view.held() != null;
            return view;
        } finally {
            if (!served) {
                graphs.release(held);
            }
        }
    }

    private View open(HotGraphs.Held held, Vector vector) throws IOException {
        OpenHot hot = held.open;
        RowIdSet alive = live.get();
        RowIdSet newer = alive.from(hot.descriptor().nextRowId());
        long there = hot.covered().countCommon(alive);
        long deleted = hot.covered().count() - there;
        long beside = newer.count();
        if (alive.count() - beside > there) {
            return View.none("its hot graph does not know all rows");
        }
        if (deleted > mostRows) {
            return View.none("of its hot graph " + deleted + " rows are deleted");
        }
        if (beside > mostRows || beside * vector.dim() * Float.BYTES > MOST_BYTES) {
            return View.none(beside + " rows are newer than its hot graph");
        }
        RowsBeside read =
                RowsBeside.read(rows.get(), vector.name(), vector.distance(), newer.toArray());
        String state =
                "hot graph of version "
                        + hot.descriptor().sourceVersion()
                        + " ("
                        + hot.descriptor().points()
                        + " points, "
                        + deleted
                        + " rows deleted since, "
                        + beside
                        + " newer)";
        return new View(held, state, deleted == 0 ? null : alive, read);
    }

    /** Whether a vector is served from its graph now. */
    public boolean serves(CollectionSchema schema, String vector) throws IOException {
        return view(schema, vector).held() != null;
    }

    @Override
    public synchronized void close() {
        closed = true;
        views.values().stream()
                .map(View::held)
                .filter(held -> held != null)
                .forEach(graphs::release);
        views.clear();
    }
}
