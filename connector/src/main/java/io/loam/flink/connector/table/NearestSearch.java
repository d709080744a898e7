package io.loam.flink.connector.table;

import io.loam.flink.operators.CollectionOpener;
import io.loam.store.spi.ScoredRow;

import org.apache.flink.table.api.ValidationException;
import org.apache.flink.table.data.ArrayData;
import org.apache.flink.table.data.GenericRowData;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.types.logical.LogicalType;

import javax.annotation.Nullable;

import java.io.IOException;
import java.io.Serializable;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;

/**
 * The rows nearest to a vector, nearest first, each with its distance behind its columns. May be
 * used from any thread once it is open.
 */
final class NearestSearch implements Serializable, AutoCloseable {
    private static final long serialVersionUID = 1L;

    private final CollectionOpener opener;
    @Nullable private final Long version;
    private final LookupSettings settings;
    private final String vector;
    private final int dimension;
    @Nullable private final String filter;
    private final RowFromDocument rows;
    @Nullable private final Questions questions;
    private transient SharedReader reader;

    /**
     * @param version to search; null for the newest
     * @param filter only documents that match this query; null for all
     * @param questions null until their type is known
     */
    NearestSearch(
            CollectionOpener opener,
            @Nullable Long version,
            LookupSettings settings,
            String vector,
            int dimension,
            @Nullable String filter,
            RowFromDocument rows,
            @Nullable Questions questions) {
        this.opener = opener;
        this.version = version;
        this.settings = settings;
        this.vector = vector;
        this.dimension = dimension;
        this.filter = filter;
        this.rows = rows;
        this.questions = questions;
    }

    /**
     * The search for questions of a type.
     *
     * @throws ValidationException if they cannot be questions
     */
    NearestSearch of(LogicalType type) {
        return new NearestSearch(
                opener,
                version,
                settings,
                vector,
                dimension,
                filter,
                rows,
                Questions.of(vector, dimension, type));
    }

    void open() throws IOException {
        reader = new SharedReader(opener, version, settings, System::nanoTime);
        reader.open();
    }

    Collection<RowData> find(int k, RowData question) throws IOException {
        ArrayData asked = ((GenericRowData) question).getArray(0);
        if (asked == null) {
            return List.of();
        }
        float[] components = questions.components(asked);
        return reader.use(
                (open, collection) -> {
                    List<RowData> found = new ArrayList<>();
                    long read = open.manifest().version();
                    for (ScoredRow hit :
                            open.nearest(
                                    vector,
                                    components,
                                    k,
                                    SearchQueries.filter(filter, collection.schema()),
                                    rows.projection())) {
                        found.add(HitTable.hit(rows, hit.row(), read, hit.distance()));
                    }
                    return found;
                });
    }

    @Override
    public void close() {
        if (reader != null) {
            reader.close();
        }
    }
}
