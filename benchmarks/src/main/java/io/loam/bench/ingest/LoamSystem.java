package io.loam.bench.ingest;

import io.loam.bench.input.BenchSchemas;
import io.loam.bench.input.InputFile;
import io.loam.codec.key.PrimaryKey;
import io.loam.codec.manifest.CollectionManifest;
import io.loam.codec.manifest.ManifestProperties;
import io.loam.codec.record.RecordCodec;
import io.loam.flink.connector.CollectionSink;
import io.loam.flink.operators.CollectionElement;
import io.loam.store.CollectionHandle;
import io.loam.store.Warehouse;
import io.loam.store.WarehouseOptions;
import io.loam.store.maintain.MaintenanceOptions;
import io.loam.store.maintain.MaintenanceRound;
import io.loam.store.metastore.Pointer;
import io.loam.store.spi.Projection;
import io.loam.store.spi.RowCursor;
import io.loam.store.spi.RowSnapshot;
import io.loam.store.spi.StoredRow;

import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.streaming.api.datastream.DataStream;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.OptionalLong;

/** A collection in a local warehouse, through its sink with default options. */
final class LoamSystem implements SystemUnderTest<CollectionElement> {
    private static final String NAMESPACE = "default";
    private static final String NAME = "docs";
    private static final int PARTITIONS = 4;

    private final Arguments arguments;
    private final WarehouseOptions options;
    private final Warehouse warehouse;
    private CollectionHandle handle;
    private long version = -1;
    private OptionalLong checkpoint = OptionalLong.empty();

    LoamSystem(Path folder, Arguments arguments) throws IOException {
        this.arguments = arguments;
        this.options = WarehouseOptions.local(folder);
        this.warehouse = Warehouse.openOrCreate(options);
    }

    @Override
    public void create() throws IOException {
        warehouse
                .metastore()
                .createCollection(
                        NAMESPACE,
                        NAME,
                        BenchSchemas.of(
                                arguments.is(Arguments.TEXT),
                                arguments.number(Arguments.VECTORS),
                                arguments.number(Arguments.DIMENSION)),
                        PARTITIONS,
                        null);
    }

    private CollectionHandle handle() throws IOException {
        if (handle == null) {
            handle = warehouse.open(NAMESPACE, NAME);
        }
        return handle;
    }

    @Override
    public InputNumbers.Reader<CollectionElement> reader() {
        return LoamSystem::decode;
    }

    /** What the apply job does with a record of its log. */
    private static CollectionElement decode(InputFile file, int record) {
        InputFile.LogEntry entry = file.logEntry(record);
        byte[] key = PrimaryKey.ofString(entry.key()).canonical();
        return new CollectionElement.Change(RecordCodec.key(key, entry.value()), entry.value());
    }

    @Override
    public TypeInformation<CollectionElement> type() {
        return CollectionElement.TYPE;
    }

    @Override
    public void attach(DataStream<CollectionElement> elements, int parallelism) throws IOException {
        CollectionSink.builder()
                .warehouse(options)
                .collection(NAMESPACE, NAME)
                .direct()
                .build()
                .addTo(elements)
                .setParallelism(parallelism);
    }

    @Override
    public OptionalLong newestCheckpoint() throws IOException {
        Pointer pointer = handle().metastore().head(handle().info().id()).pointer();
        if (pointer != null && pointer.version() != version) {
            version = pointer.version();
            Map<String, String> properties = handle().live().manifest().properties();
            if (properties.containsKey(ManifestProperties.CHECKPOINT)) {
                checkpoint =
                        OptionalLong.of(
                                ManifestProperties.number(
                                        properties, ManifestProperties.CHECKPOINT));
            }
        }
        return checkpoint;
    }

    @Override
    public void maintain(Path directory) throws IOException, InterruptedException {
        MaintenanceRound round =
                new MaintenanceRound(
                        handle(), MaintenanceOptions.of("bench"), Files.createDirectory(directory));
        while (round.run().progressed()) {
            // until nothing is due
        }
    }

    @Override
    public ReadRows read() throws IOException {
        CollectionManifest live = handle().live().manifest();
        long rows = 0;
        long bytes = 0;
        try (RowSnapshot snapshot = handle().rows().open(live, handle().schema());
                RowCursor cursor = snapshot.scan(Projection.SOURCES, 0, 1)) {
            for (StoredRow row = cursor.next(); row != null; row = cursor.next()) {
                rows++;
                bytes += row.source().length;
            }
        }
        return new ReadRows(rows, bytes);
    }

    @Override
    public void close() throws IOException {
        try (warehouse) {
            if (handle != null) {
                handle.close();
            }
        }
    }
}
