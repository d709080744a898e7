package io.loam.flink.connector.table;

import org.apache.flink.table.data.RowData;
import org.apache.flink.table.functions.AsyncLookupFunction;
import org.apache.flink.table.functions.FunctionContext;

import java.io.IOException;
import java.util.Collection;
import java.util.concurrent.CompletableFuture;

/** Looks up several keys side by side. */
public final class AsyncKeyLookupFunction extends AsyncLookupFunction {
    private static final long serialVersionUID = 1L;

    private final KeyLookup lookup;
    private transient LookupThreads threads;

    AsyncKeyLookupFunction(KeyLookup lookup) {
        this.lookup = lookup;
    }

    @Override
    public void open(FunctionContext context) throws IOException {
        lookup.open();
        threads = new LookupThreads("loam-lookup");
    }

    @Override
    public CompletableFuture<Collection<RowData>> asyncLookup(RowData key) {
        return threads.start(() -> lookup.find(key));
    }

    @Override
    public void close() {
        if (threads != null) {
            threads.close();
        }
        lookup.close();
    }
}
