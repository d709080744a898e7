package io.loam.flink.connector.table;

import org.apache.flink.table.data.RowData;
import org.apache.flink.table.functions.AsyncVectorSearchFunction;
import org.apache.flink.table.functions.FunctionContext;
import org.apache.flink.table.functions.SpecializedFunction;
import org.apache.flink.table.functions.UserDefinedFunction;

import java.io.IOException;
import java.util.Collection;
import java.util.concurrent.CompletableFuture;

/** Searches the neighbours of several questions side by side. */
public final class AsyncNearestFunction extends AsyncVectorSearchFunction
        implements SpecializedFunction {
    private static final long serialVersionUID = 1L;

    private final NearestSearch search;
    private transient LookupThreads threads;

    AsyncNearestFunction(NearestSearch search) {
        this.search = search;
    }

    /** The arguments are k and the question. */
    @Override
    public UserDefinedFunction specialize(SpecializedContext context) {
        return new AsyncNearestFunction(
                search.of(context.getCallContext().getArgumentDataTypes().get(1).getLogicalType()));
    }

    @Override
    public void open(FunctionContext context) throws IOException {
        search.open();
        threads = new LookupThreads("loam-nearest");
    }

    @Override
    public CompletableFuture<Collection<RowData>> asyncVectorSearch(int k, RowData question) {
        return threads.start(() -> search.find(k, question));
    }

    @Override
    public void close() {
        if (threads != null) {
            threads.close();
        }
        search.close();
    }
}
