package io.loam.flink.connector.table;

import org.apache.flink.table.data.RowData;
import org.apache.flink.table.functions.FunctionContext;
import org.apache.flink.table.functions.LookupFunction;

import java.io.IOException;
import java.util.Collection;

/** Looks up one key after the other. */
public final class KeyLookupFunction extends LookupFunction {
    private static final long serialVersionUID = 1L;

    private final KeyLookup lookup;

    KeyLookupFunction(KeyLookup lookup) {
        this.lookup = lookup;
    }

    @Override
    public void open(FunctionContext context) throws IOException {
        lookup.open();
    }

    @Override
    public Collection<RowData> lookup(RowData key) throws IOException {
        return lookup.find(key);
    }

    @Override
    public void close() {
        lookup.close();
    }
}
