package io.loam.flink.connector.table;

import io.loam.flink.connector.Changes;
import io.loam.flink.connector.CollectionSink;
import io.loam.flink.operators.CollectionElement;

import org.apache.flink.configuration.Configuration;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.datastream.DataStreamSink;
import org.apache.flink.table.api.TableException;
import org.apache.flink.table.connector.ChangelogMode;
import org.apache.flink.table.connector.ProviderContext;
import org.apache.flink.table.connector.sink.DataStreamSinkProvider;
import org.apache.flink.table.connector.sink.DynamicTableSink;
import org.apache.flink.table.connector.sink.abilities.SupportsTargetColumnWriting;
import org.apache.flink.table.data.RowData;
import org.apache.flink.types.RowKind;

import javax.annotation.Nullable;

import java.io.IOException;
import java.util.Arrays;
import java.util.Optional;

/**
 * Writes a changelog into a collection, exactly once, in direct mode. A statement that names some
 * of the columns patches the others' documents.
 */
final class LoamTableSink implements DynamicTableSink, SupportsTargetColumnWriting {
    private final CollectionTable table;
    private final Configuration sinkOptions;
    @Nullable private final Integer parallelism;
    private final int[] physical;
    @Nullable private int[] target;

    /**
     * @param sinkOptions what of {@link io.loam.flink.connector.CollectionSinkOptions} is set
     * @param parallelism of the sink; null for that of its input
     * @param physical of each column of the table, computed and metadata ones too, the position
     *     among the physical ones
     */
    LoamTableSink(
            CollectionTable table,
            Configuration sinkOptions,
            @Nullable Integer parallelism,
            int[] physical) {
        this.table = table;
        this.sinkOptions = sinkOptions;
        this.parallelism = parallelism;
        this.physical = physical;
    }

    /** A document is replaced by its key, so what an update replaces need not come. */
    @Override
    public ChangelogMode getChangelogMode(ChangelogMode requested) {
        return requested.containsOnly(RowKind.INSERT)
                ? ChangelogMode.insertOnly()
                : ChangelogMode.upsert();
    }

    @Override
    public boolean applyTargetColumns(int[][] targetColumns) {
        if (Arrays.stream(targetColumns).anyMatch(path -> path.length != 1)) {
            return false; // a field inside a row: the planner fills the rest with nulls
        }
        int[] positions =
                Arrays.stream(targetColumns).mapToInt(path -> physical[path[0]]).toArray();
        target = positions.length == table.columns().size() ? null : positions;
        return true;
    }

    @Override
    public SinkRuntimeProvider getSinkRuntimeProvider(Context context) {
        RowToChange changes = new RowToChange(table.columns(), target);
        return new DataStreamSinkProvider() {
            @Override
            public DataStreamSink<?> consumeDataStream(
                    ProviderContext provider, DataStream<RowData> rows) {
                return write(rows, changes);
            }

            @Override
            public Optional<Integer> getParallelism() {
                return Optional.ofNullable(parallelism);
            }
        };
    }

    private DataStreamSink<?> write(DataStream<RowData> rows, RowToChange changes) {
        table.ensure();
        CollectionSink sink;
        try {
            sink =
                    CollectionSink.builder()
                            .warehouse(table.warehouse())
                            .collection(table.namespace(), table.name())
                            .options(sinkOptions)
                            .direct()
                            .build();
        } catch (IOException e) {
            throw new TableException("cannot write " + table + ": " + e.getMessage(), e);
        }
        DataStream<CollectionElement> elements =
                rows.flatMap(changes)
                        .returns(Changes.TYPE)
                        .name("Changes of " + table.name())
                        .setParallelism(rows.getParallelism()); // keeps the order of each key
        DataStreamSink<CollectionElement> added = sink.addTo(elements);
        return parallelism == null ? added : added.setParallelism(parallelism);
    }

    @Override
    public DynamicTableSink copy() {
        LoamTableSink copy = new LoamTableSink(table, sinkOptions, parallelism, physical);
        copy.target = target;
        return copy;
    }

    @Override
    public String asSummaryString() {
        return "Loam " + table;
    }
}
