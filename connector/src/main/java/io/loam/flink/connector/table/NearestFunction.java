package io.loam.flink.connector.table;

import org.apache.flink.table.data.RowData;
import org.apache.flink.table.functions.FunctionContext;
import org.apache.flink.table.functions.SpecializedFunction;
import org.apache.flink.table.functions.UserDefinedFunction;
import org.apache.flink.table.functions.VectorSearchFunction;

import java.io.IOException;
import java.util.Collection;

/** Searches the neighbours of one question after the other. */
public final class NearestFunction extends VectorSearchFunction implements SpecializedFunction {
    private static final long serialVersionUID = 1L;

    private final NearestSearch search;

    NearestFunction(NearestSearch search) {
        this.search = search;
    }

    /** The arguments are k and the question. */
    @Override
    public UserDefinedFunction specialize(SpecializedContext context) {
        return new NearestFunction(
                search.of(context.getCallContext().getArgumentDataTypes().get(1).getLogicalType()));
    }

    @Override
    public void open(FunctionContext context) throws IOException {
        search.open();
    }

    @Override
    public Collection<RowData> vectorSearch(int k, RowData question) throws IOException {
        return search.find(k, question);
    }

    @Override
    public void close() {
        search.close();
    }
}
