package io.loam.bench.ingest;

import io.loam.bench.Arm;
import io.loam.bench.input.Entry;
import io.loam.bench.input.InputFile;

import org.apache.arrow.c.ArrowArrayStream;
import org.apache.arrow.c.Data;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.memory.RootAllocator;
import org.apache.arrow.vector.ipc.ArrowReader;
import org.lance.Dataset;
import org.lance.WriteParams;
import org.lance.index.DistanceType;
import org.lance.index.IndexOptions;
import org.lance.index.IndexParams;
import org.lance.index.IndexType;
import org.lance.index.OptimizeOptions;
import org.lance.index.scalar.InvertedIndexParams;
import org.lance.index.scalar.ScalarIndexParams;
import org.lance.index.vector.VectorIndexParams;
import org.lance.merge.MergeInsertParams;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The naive sink: one {@code mergeInsert} into a Lance dataset for each checkpoint, the last record
 * of each key. Text is a column of its own, as its index needs one.
 */
final class MergeInsertSteps implements Arm {
    /** Argument: {@code none}, {@code key} (BTREE of the key) or {@code all} (text and vector). */
    static final String INDEXES = "indexes";

    private final BufferAllocator allocator = new RootAllocator();
    private Dataset dataset;

    @Override
    public Map<String, Double> run(Map<String, String> args) throws Exception {
        Arguments arguments = new Arguments(args);
        InputFile input = InputFile.open(arguments.input());
        String uri = arguments.directory().resolve("dataset").toString();
        return Steps.run(
                arguments,
                input.records(),
                (from, to) -> {
                    if (dataset == null) {
                        create(uri, input, from, to, arguments);
                    } else {
                        merge(input, from, to, arguments);
                    }
                });
    }

    private void create(String uri, InputFile input, int from, int to, Arguments arguments)
            throws Exception {
        try (ArrowReader rows = rows(input, from, to, arguments);
                ArrowArrayStream stream = ArrowArrayStream.allocateNew(allocator)) {
            Data.exportArrayStream(allocator, rows, stream);
            dataset = Dataset.create(allocator, stream, uri, new WriteParams.Builder().build());
        }
        String indexes = arguments.values().get(INDEXES);
        if (!indexes.equals("none")) {
            index("key", EntryBatch.KEY, IndexType.BTREE, ScalarIndexParams.create("btree"));
        }
        if (indexes.equals("all")) {
            index(
                    "text",
                    EntryBatch.TEXT,
                    IndexType.INVERTED,
                    new InvertedIndexParams.Builder()
                            .baseTokenizer("simple")
                            .language("English")
                            .lowerCase(true)
                            .stem(false)
                            .removeStopWords(false)
                            .asciiFolding(false)
                            .maxTokenLength(40)
                            .withPosition(false)
                            .build());
            int partitions = Math.max(1, (int) Math.sqrt(to - from));
            dataset.createIndex(
                    IndexOptions.builder(
                                    List.of(Entry.vectorName(0)),
                                    IndexType.IVF_PQ,
                                    IndexParams.builder()
                                            .setVectorIndexParams(
                                                    VectorIndexParams.ivfPq(
                                                            partitions,
                                                            8,
                                                            arguments.number(Arguments.DIMENSION)
                                                                    / 8,
                                                            DistanceType.Cosine,
                                                            20))
                                            .build())
                            .withIndexName("vector")
                            .build());
        }
    }

    private void index(String name, String column, IndexType type, ScalarIndexParams params) {
        System.out.println("making the index " + name);
        dataset.createIndex(
                IndexOptions.builder(
                                List.of(column),
                                type,
                                IndexParams.builder().setScalarIndexParams(params).build())
                        .withIndexName(name)
                        .build());
    }

    private void merge(InputFile input, int from, int to, Arguments arguments) throws Exception {
        try (ArrowReader rows = rows(input, from, to, arguments);
                ArrowArrayStream stream = ArrowArrayStream.allocateNew(allocator)) {
            Data.exportArrayStream(allocator, rows, stream);
            Dataset merged =
                    dataset.mergeInsert(
                                    new MergeInsertParams(List.of(EntryBatch.KEY))
                                            .withMatchedUpdateAll()
                                            .withNotMatched(
                                                    MergeInsertParams.WhenNotMatched.InsertAll),
                                    stream)
                            .dataset();
            dataset.close();
            dataset = merged;
        }
        if (!arguments.values().get(INDEXES).equals("none")) {
            long started = System.nanoTime();
            dataset.optimizeIndices(OptimizeOptions.builder().build());
            System.out.printf("indexes kept up in %.3f s%n", (System.nanoTime() - started) / 1e9);
        }
    }

    private ArrowReader rows(InputFile input, int from, int to, Arguments arguments) {
        Map<String, Entry> newest = new LinkedHashMap<>();
        for (int i = from; i < to; i++) {
            Entry entry = input.entry(i);
            newest.put(entry.key(), entry);
        }
        return new EntryReader(
                allocator,
                new ArrayList<>(newest.values()),
                arguments.number(Arguments.VECTORS),
                arguments.number(Arguments.DIMENSION));
    }
}
