package io.loam.jobs.corrupt;

import io.loam.codec.key.PrimaryKey;
import io.loam.codec.manifest.PkDelta;
import io.loam.flink.connector.testing.SampleSchema;
import io.loam.store.CollectionHandle;
import io.loam.store.Warehouse;
import io.loam.store.WarehouseOptions;
import io.loam.store.commit.LinkApplyCommitter;
import io.loam.store.history.DeadLetters;
import io.loam.store.query.QueryParser;
import io.loam.store.query.SearchQuery;
import io.loam.store.read.CollectionReader;
import io.loam.store.repair.IndexRebuild;
import io.loam.store.repair.IndexRepair;
import io.loam.store.repair.RepairPlan;
import io.loam.store.spi.Projection;
import io.loam.store.spi.RowCursor;
import io.loam.store.spi.StoredRow;
import io.loam.store.testing.TestWriter;
import io.loam.store.verify.Verifier;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * What is done with a collection by one process. Each use opens what it needs and gives a text that
 * says all that was seen.
 */
final class Uses implements AutoCloseable {
    static final String VERIFY = "verify";
    static final String DEAD_LETTERS = "dead letters";
    private static final SearchQuery THE = QueryParser.parse("title:the", SampleSchema.get());
    private static final SearchQuery SOME = QueryParser.parse("n:[0 TO 40]", SampleSchema.get());
    private static final float[] SOMEWHERE = {1, 0, 1, 0.5f};

    private final SampleCollection sample;
    private final Warehouse warehouse;
    private final CollectionHandle handle;

    Uses(SampleCollection sample, WarehouseOptions options) throws IOException {
        this.sample = sample;
        this.warehouse = Warehouse.open(options);
        this.handle = warehouse.open(sample.id());
    }

    @Override
    public void close() throws IOException {
        try (warehouse) {
            handle.close();
        }
    }

    private interface Read {
        List<?> by(CollectionReader reader) throws IOException;
    }

    /** A use by name. */
    interface Use {
        Object run() throws IOException;
    }

    /** Those that publish nothing. */
    Map<String, Use> reads() {
        Map<String, Use> reads = new LinkedHashMap<>();
        for (int key : List.of(3, 30, 59)) {
            reads.put(
                    "get k" + key,
                    () ->
                            read(
                                    reader ->
                                            reader
                                                    .get(SampleCollection.key(key), Projection.ALL)
                                                    .stream()
                                                    .toList()));
        }
        reads.put("scan", () -> read(Uses::scan));
        reads.put("search", () -> read(reader -> reader.search(THE, 100, Projection.ALL)));
        reads.put("count", () -> read(reader -> List.of(reader.count(SOME))));
        reads.put(
                "nearest",
                () -> read(reader -> reader.nearest("v", SOMEWHERE, 9, null, Projection.ALL)));
        reads.put(
                "nearest of some",
                () -> read(reader -> reader.nearest("v", SOMEWHERE, 9, SOME, Projection.KEYS)));
        reads.put(VERIFY, () -> Verifier.againstLog(handle, sample.log()).violations());
        reads.put(DEAD_LETTERS, () -> text(DeadLetters.read(handle)));
        reads.put("repair", this::repaired);
        reads.put("rebuild", this::rebuilt);
        return reads;
    }

    private String read(Read read) throws IOException {
        try (CollectionReader reader = CollectionReader.open(handle)) {
            return text(read.by(reader));
        }
    }

    private static List<StoredRow> scan(CollectionReader reader) throws IOException {
        List<StoredRow> rows = new ArrayList<>();
        try (RowCursor cursor = reader.rows().scan(Projection.ALL, 0, 1)) {
            for (StoredRow row = cursor.next(); row != null; row = cursor.next()) {
                rows.add(row);
            }
        }
        return rows;
    }

    /** The index of the first version, brought up to the live one. */
    private Object repaired() throws IOException {
        RepairPlan plan = IndexRepair.plan(handle, sample.firstState());
        if (!(plan instanceof RepairPlan.Replay replay)) {
            return rebuilt();
        }
        Map<PrimaryKey, Long> index = new HashMap<>(sample.firstIndex());
        for (PkDelta delta : replay.deltas()) {
            for (PkDelta.Entry entry : delta.entries()) {
                if (entry.rowId() == null) {
                    index.remove(entry.key());
                } else {
                    index.put(entry.key(), entry.rowId());
                }
            }
        }
        return new TreeMap<>(index);
    }

    private Object rebuilt() throws IOException {
        Map<PrimaryKey, Long> index = new TreeMap<>();
        IndexRebuild.scan(handle, handle.live().manifest(), 0, 1, index::put);
        return index;
    }

    /**
     * Publishes what is staged, as a job that was restored would, and then the rest of the log.
     *
     * @return the live version
     */
    Object apply(Path work) throws IOException {
        try (LinkApplyCommitter committer = SampleCollection.committer(handle)) {
            committer.commit(sample.pending(), true);
            TestWriter writer = TestWriter.start(handle, sample.log(), work);
            committer.commit(writer.checkpoint(1), false);
        }
        return handle.live().version();
    }

    private static String text(List<?> results) {
        StringBuilder text = new StringBuilder();
        for (Object result : results) {
            text.append(text(result)).append('\n');
        }
        return text.toString();
    }

    private static String text(Object result) {
        if (result instanceof io.loam.store.read.SearchResult hit) {
            return hit.score() + " " + text(hit.row());
        }
        if (result instanceof io.loam.store.spi.ScoredRow near) {
            return near.distance() + " " + text(near.row());
        }
        if (result instanceof DeadLetters.Entry entry) {
            return entry.letter().partition() + "/" + entry.letter().offset();
        }
        if (result instanceof StoredRow row) {
            StringBuilder vectors = new StringBuilder();
            if (row.vectors() != null) {
                row.vectors().forEach((n, v) -> vectors.append(n).append(Arrays.toString(v)));
            }
            return String.join(
                    " ",
                    String.valueOf(row.key()),
                    Long.toUnsignedString(row.rowId()),
                    row.source() == null ? "" : new String(row.source(), StandardCharsets.UTF_8),
                    row.ingestPartition() + "/" + row.ingestOffset(),
                    vectors);
        }
        return String.valueOf(result);
    }
}
