package io.loam.bench.jmh;

import io.loam.bench.input.BenchSchemas;
import io.loam.bench.input.Entry;
import io.loam.bench.input.Generator;
import io.loam.bench.input.InputSpec;
import io.loam.codec.Ulid;
import io.loam.codec.json.Json;
import io.loam.codec.record.Document;
import io.loam.codec.record.Operation;
import io.loam.codec.schema.CollectionSchema;
import io.loam.lance.LanceRowStoreProvider;
import io.loam.store.LocalFiles;
import io.loam.store.object.LocalObjectStore;
import io.loam.store.object.ObjectStore;
import io.loam.store.spi.Row;
import io.loam.store.spi.RowFileWriter;
import io.loam.store.spi.RowStore;
import io.loam.store.spi.SplitBuilder;
import io.loam.store.spi.SplitStore;
import io.loam.tantivy.TantivySplitStoreProvider;

import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** The two files of a unit: Arrow fill with writing in Lance, and building the split. Per row. */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 3, time = 2)
@Measurement(iterations = 5, time = 2)
@Fork(
        value = 1,
        jvmArgsAppend = {
            "--add-opens=java.base/java.nio=ALL-UNNAMED",
            "--add-opens=java.base/sun.nio.ch=ALL-UNNAMED"
        })
public class UnitBenchmark {
    private static final int ROWS = 10_000;

    private final CollectionSchema schema = BenchSchemas.of(true, 1, 128);
    private final List<Row> rows = new ArrayList<>();
    private Path directory;
    private ObjectStore objects;
    private RowStore rowStore;
    private SplitStore splitStore;
    private int files;

    @Setup
    public void open() throws IOException {
        directory = Files.createTempDirectory("unit-benchmark");
        objects = LocalObjectStore.open(directory);
        rowStore = new LanceRowStoreProvider().open(objects, "rows");
        splitStore = new TantivySplitStoreProvider().open(objects, "splits");
        Generator generator = new Generator(InputSpec.of(42, ROWS).withVectors(1, 128));
        for (int i = 0; i < ROWS; i++) {
            Entry entry = generator.next();
            Document document = ((Operation.Upsert) entry.operation()).document();
            rows.add(new Row(document, Json.print(document.source()), 0, i));
        }
    }

    @Benchmark
    @OperationsPerInvocation(ROWS)
    public long rows() throws IOException {
        Path file = directory.resolve(++files + ".lance");
        try (RowFileWriter writer = rowStore.newFile(file, schema)) {
            for (Row row : rows) {
                writer.append(row);
            }
            return writer.finish().bytes();
        } finally {
            Files.deleteIfExists(file);
        }
    }

    @Benchmark
    @OperationsPerInvocation(ROWS)
    public long split() throws IOException {
        byte[] ulid = new byte[16];
        ulid[15] = (byte) ++files;
        ulid[14] = (byte) (files >> 8);
        try (SplitBuilder builder = splitStore.newSplit(Ulid.fromBytes(ulid), schema, directory)) {
            for (int i = 0; i < ROWS; i++) {
                builder.add(i, rows.get(i).document());
            }
            return builder.finish().bytes();
        }
    }

    @TearDown
    public void close() throws IOException {
        rowStore.close();
        splitStore.close();
        objects.close();
        LocalFiles.delete(directory);
    }
}
