package io.loam.flink.connector.table;

import io.loam.flink.connector.WarehouseCollection;
import io.loam.store.spi.StoredRow;

import org.apache.flink.table.functions.FunctionContext;
import org.apache.flink.table.functions.TableFunction;
import org.apache.flink.types.Row;

import javax.annotation.Nullable;

import java.io.IOException;
import java.nio.charset.StandardCharsets;

/** A table function that searches one collection, whose name is its first argument. */
abstract class SearchFunction extends TableFunction<Row> {
    private static final long serialVersionUID = 1L;

    final SearchTarget target;
    @Nullable private final WarehouseCollection opener;
    transient SharedReader reader;

    /**
     * @param opener of the collection; null until a call names it
     */
    SearchFunction(SearchTarget target, @Nullable WarehouseCollection opener) {
        this.target = target;
        this.opener = opener;
    }

    /** Whether the same question may find something else later. */
    @Override
    public boolean isDeterministic() {
        return false;
    }

    @Override
    public void open(FunctionContext context) throws IOException {
        reader = target.reader(opener);
        reader.open();
    }

    static Row hit(StoredRow row, double score) {
        return Row.of(
                row.key().toString(), score, new String(row.source(), StandardCharsets.UTF_8));
    }

    @Override
    public void close() {
        if (reader != null) {
            reader.close();
        }
    }
}
