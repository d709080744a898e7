package io.loam.flink.connector.table;

import io.loam.codec.schema.CollectionSchema;
import io.loam.flink.connector.table.TableColumns.TableColumn;

import org.apache.flink.configuration.ConfigOption;
import org.apache.flink.configuration.ConfigOptions;
import org.apache.flink.configuration.ReadableConfig;
import org.apache.flink.table.api.ValidationException;
import org.apache.flink.table.connector.source.search.AsyncVectorSearchFunctionProvider;
import org.apache.flink.table.connector.source.search.VectorSearchFunctionProvider;
import org.apache.flink.table.functions.AsyncVectorSearchFunction;
import org.apache.flink.table.functions.VectorSearchFunction;

import javax.annotation.Nullable;

import java.util.stream.Collectors;

/** A search in both forms, of which the statement's configuration chooses. */
record NearestProvider(NearestSearch search)
        implements VectorSearchFunctionProvider, AsyncVectorSearchFunctionProvider {
    private static final ConfigOption<String> FILTER =
            ConfigOptions.key("filter").stringType().noDefaultValue();

    @Override
    public VectorSearchFunction createVectorSearchFunction() {
        return new NearestFunction(search);
    }

    @Override
    public AsyncVectorSearchFunction createAsyncVectorSearchFunction() {
        return new AsyncNearestFunction(search);
    }

    /**
     * The column to search.
     *
     * @param asked columns of the produced row, as Flink gives them
     * @param selected columns of the table that are produced; metadata follows them
     * @throws ValidationException if it is no dense vector
     */
    static TableColumn column(CollectionTable table, int[][] asked, int[] selected) {
        TableColumns columns = table.columns();
        boolean physical = asked[0].length == 1 && asked[0][0] < selected.length;
        TableColumn column = physical ? columns.get(selected[asked[0][0]]) : null;
        if (column == null || !(column.role() instanceof ColumnRole.Dense)) {
            throw new ValidationException(
                    table
                            + ": "
                            + (column == null ? "a metadata column" : "column " + column.name())
                            + " is no dense vector; "
                            + columns.columns().stream()
                                    .filter(one -> one.role() instanceof ColumnRole.Dense)
                                    .map(TableColumn::name)
                                    .collect(Collectors.joining(", ", "those are (", ")"))
                            + ", and 'fields.<column>.dimension' makes a column one");
        }
        return column;
    }

    /**
     * The filter of a search, from the configuration in its call; null for none.
     *
     * @throws ValidationException if it cannot be parsed
     */
    @Nullable
    static String filter(ReadableConfig configuration, CollectionSchema schema) {
        String filter = configuration.get(FILTER);
        SearchQueries.planned(() -> SearchQueries.filter(filter, schema));
        return filter;
    }
}
