package io.loam.bench.ingest;

import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.table.data.RowData;
import org.apache.hadoop.conf.Configuration;
import org.apache.iceberg.DistributionMode;
import org.apache.iceberg.PartitionSpec;
import org.apache.iceberg.Schema;
import org.apache.iceberg.Snapshot;
import org.apache.iceberg.Table;
import org.apache.iceberg.data.IcebergGenerics;
import org.apache.iceberg.data.Record;
import org.apache.iceberg.flink.TableLoader;
import org.apache.iceberg.flink.sink.IcebergSink;
import org.apache.iceberg.hadoop.HadoopTables;
import org.apache.iceberg.io.CloseableIterable;
import org.apache.iceberg.types.Types;

import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;

/**
 * A table of Iceberg, format version 2, through its Flink sink in upsert mode, which writes
 * equality deletes; or in append mode.
 */
final class IcebergSystem implements SystemUnderTest<RowData> {
    /** Argument: whether rows are appended, and none of them replaces another. */
    static final String APPEND = "append";

    private static final String CHECKPOINT = "flink.max-committed-checkpoint-id";

    private final String location;
    private final boolean append;
    private final HadoopTables tables = new HadoopTables(new Configuration());
    private Table table;

    IcebergSystem(Path folder, Arguments arguments) {
        this.location = folder.resolve("docs").toString();
        this.append = arguments.is(APPEND);
    }

    @Override
    public void create() {
        Schema schema =
                new Schema(
                        List.of(
                                Types.NestedField.required(
                                        1, KeyedRows.KEY, Types.StringType.get()),
                                Types.NestedField.optional(
                                        2, KeyedRows.SOURCE, Types.BinaryType.get())),
                        Set.of(1));
        tables.create(
                schema,
                PartitionSpec.unpartitioned(),
                Map.of("format-version", "2", "write.upsert.enabled", Boolean.toString(!append)),
                location);
    }

    private Table table() {
        if (table == null) {
            table = tables.load(location);
        } else {
            table.refresh();
        }
        return table;
    }

    @Override
    public InputNumbers.Reader<RowData> reader() {
        return KeyedRows::read;
    }

    @Override
    public TypeInformation<RowData> type() {
        return KeyedRows.type();
    }

    @Override
    public void attach(DataStream<RowData> elements, int parallelism) {
        IcebergSink.Builder sink =
                IcebergSink.forRowData(elements)
                        .tableLoader(TableLoader.fromHadoopTable(location))
                        .writeParallelism(parallelism);
        if (!append) {
            sink.upsert(true)
                    .equalityFieldColumns(List.of(KeyedRows.KEY))
                    .distributionMode(DistributionMode.HASH);
        }
        sink.append();
    }

    @Override
    public OptionalLong newestCheckpoint() {
        Snapshot newest = table().currentSnapshot();
        return newest == null || !newest.summary().containsKey(CHECKPOINT)
                ? OptionalLong.empty()
                : OptionalLong.of(Long.parseLong(newest.summary().get(CHECKPOINT)));
    }

    @Override
    public ReadRows read() throws Exception {
        long rows = 0;
        long bytes = 0;
        try (CloseableIterable<Record> records =
                IcebergGenerics.read(table()).reuseContainers().build()) {
            for (Record record : records) {
                rows++;
                bytes += ((ByteBuffer) record.get(1)).remaining();
            }
        }
        return new ReadRows(rows, bytes);
    }

    @Override
    public void close() {
        // Nothing is held open.
    }
}
