package io.loam.flink.connector.table;

import io.loam.flink.connector.WarehouseCollection;
import io.loam.store.spi.Projection;
import io.loam.store.spi.StoredRow;

import org.apache.flink.table.data.RowData;
import org.apache.flink.table.functions.FunctionContext;
import org.apache.flink.table.functions.TableFunction;

import javax.annotation.Nullable;

import java.io.IOException;

/** A table function that searches one collection, whose name is its first argument. */
abstract class SearchFunction extends TableFunction<RowData> {
    private static final long serialVersionUID = 1L;

    final SearchTarget target;
    @Nullable private final WarehouseCollection opener;
    @Nullable private final Long version;
    @Nullable private final String filter;
    @Nullable private final RowFromDocument rows;
    transient SharedReader reader;

    /** Of no call yet. */
    SearchFunction(SearchTarget target) {
        this.target = target;
        this.opener = null;
        this.version = null;
        this.filter = null;
        this.rows = null;
    }

    /**
     * Of a call.
     *
     * @param filter only documents that match this query; null for all
     */
    SearchFunction(
            SearchTarget target,
            SearchTarget.Searched searched,
            @Nullable String filter,
            RowFromDocument rows) {
        this.target = target;
        this.opener = searched.opener();
        this.version = searched.version();
        this.filter = filter;
        this.rows = rows;
    }

    @Nullable
    final String filter() {
        return filter;
    }

    /** Whether the same question may find something else later. */
    @Override
    public boolean isDeterministic() {
        return false;
    }

    @Override
    public void open(FunctionContext context) throws IOException {
        reader = target.reader(opener, version);
        reader.open();
    }

    final Projection projection() {
        return rows.projection();
    }

    final void collect(StoredRow row, long version, double score) {
        collect(HitTable.hit(rows, row, version, score));
    }

    @Override
    public void close() {
        if (reader != null) {
            reader.close();
        }
    }
}
