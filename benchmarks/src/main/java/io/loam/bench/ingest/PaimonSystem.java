package io.loam.bench.ingest;

import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.table.data.RowData;
import org.apache.paimon.Snapshot;
import org.apache.paimon.catalog.Catalog;
import org.apache.paimon.catalog.CatalogContext;
import org.apache.paimon.catalog.CatalogFactory;
import org.apache.paimon.catalog.Identifier;
import org.apache.paimon.data.InternalRow;
import org.apache.paimon.flink.sink.FlinkSinkBuilder;
import org.apache.paimon.options.Options;
import org.apache.paimon.reader.RecordReader;
import org.apache.paimon.schema.Schema;
import org.apache.paimon.table.FileStoreTable;
import org.apache.paimon.table.source.ReadBuilder;
import org.apache.paimon.types.DataTypes;
import org.apache.paimon.utils.SnapshotManager;

import java.nio.file.Path;
import java.util.OptionalLong;

/**
 * A primary-key table of Paimon with deletion vectors, through its Flink sink; a bucket for each
 * subtask, as its documentation recommends a fixed number for speed.
 */
final class PaimonSystem implements SystemUnderTest<RowData> {
    private static final Identifier TABLE = Identifier.create("bench", "docs");

    private final Catalog catalog;

    PaimonSystem(Path folder) {
        Options options = new Options();
        options.set("warehouse", folder.toUri().toString());
        this.catalog = CatalogFactory.createCatalog(CatalogContext.create(options));
    }

    @Override
    public void create() throws Exception {
        catalog.createDatabase(TABLE.getDatabaseName(), true);
        catalog.createTable(
                TABLE,
                Schema.newBuilder()
                        .column(KeyedRows.KEY, DataTypes.STRING().notNull())
                        .column(KeyedRows.SOURCE, DataTypes.BYTES())
                        .primaryKey(KeyedRows.KEY)
                        .option("bucket", "2")
                        .option("deletion-vectors.enabled", "true")
                        .build(),
                false);
    }

    private FileStoreTable table() throws Exception {
        return (FileStoreTable) catalog.getTable(TABLE);
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
    public void attach(DataStream<RowData> elements, int parallelism) throws Exception {
        new FlinkSinkBuilder(table()).forRowData(elements).parallelism(parallelism).build();
    }

    /**
     * A checkpoint commits its files first and their compaction then, after which they are read.
     */
    @Override
    public OptionalLong newestCheckpoint() throws Exception {
        SnapshotManager snapshots = table().snapshotManager();
        Long id = snapshots.latestSnapshotId();
        Long earliest = snapshots.earliestSnapshotId();
        while (id != null && earliest != null && id >= earliest) {
            Snapshot snapshot = snapshots.snapshot(id);
            if (snapshot.commitKind() == Snapshot.CommitKind.COMPACT) {
                return OptionalLong.of(snapshot.commitIdentifier());
            }
            id--;
        }
        return OptionalLong.empty();
    }

    @Override
    public ReadRows read() throws Exception {
        ReadBuilder builder = table().newReadBuilder();
        long[] sums = new long[2];
        try (RecordReader<InternalRow> rows =
                builder.newRead().createReader(builder.newScan().plan())) {
            rows.forEachRemaining(
                    row -> {
                        sums[0]++;
                        sums[1] += row.getBinary(1).length;
                    });
        }
        return new ReadRows(sums[0], sums[1]);
    }

    @Override
    public void close() throws Exception {
        catalog.close();
    }
}
