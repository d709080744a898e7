package io.loam.bench.store;

import io.loam.bench.Arm;
import io.loam.codec.manifest.CollectionManifest;
import io.loam.codec.manifest.RowLocator;
import io.loam.codec.manifest.SplitRef;
import io.loam.store.CollectionHandle;
import io.loam.store.Warehouse;
import io.loam.store.WarehouseOptions;
import io.loam.store.read.DeletedDocs;
import io.loam.store.spi.Projection;
import io.loam.store.spi.RowSnapshot;
import io.loam.store.spi.StoredRow;

import org.roaringbitmap.RoaringBitmap;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * Reads documents as a job does that patches them: opens the live version once and takes rows by
 * their ids. Counts what the process read, whoever in it did.
 */
final class PatchArm implements Arm {
    static final String WAREHOUSE = "warehouse";

    /** Argument: of how many keys one is patched. */
    static final String ONE_IN = "one-in";

    static final String SEED = "seed";

    private final Map<String, Double> values = new TreeMap<>();

    @Override
    public Map<String, Double> run(Map<String, String> args) throws Exception {
        WarehouseOptions options = WarehouseOptions.local(Path.of(args.get(WAREHOUSE)));
        Random random = new Random(Long.parseLong(args.get(SEED)));
        try (Warehouse warehouse = Warehouse.open(options);
                CollectionHandle handle = warehouse.open("default", "docs")) {
            CollectionManifest live = handle.live().manifest();
            long[] first = rows(live, handle, random, Long.parseLong(args.get(ONE_IN)));
            long[] second = rows(live, handle, random, Long.parseLong(args.get(ONE_IN)));
            // Native libraries are loaded, and the version's manifest is parsed once.
            handle.rows().open(live, handle.schema()).close();
            long before = ProcessReads.bytes();
            try (RowSnapshot rows = handle.rows().open(live, handle.schema())) {
                long opened = ProcessReads.bytes();
                long documentBytes = take(rows, first);
                long taken = ProcessReads.bytes();
                take(rows, second);
                long again = ProcessReads.bytes();
                take(rows, first);
                long same = ProcessReads.bytes();
                values.put("patched", (double) first.length);
                values.put("document bytes", (double) documentBytes / first.length);
                values.put("open bytes", (double) (opened - before));
                values.put("first bytes", (double) (taken - opened) / first.length);
                values.put("later bytes", (double) (again - taken) / second.length);
                values.put("same bytes", (double) (same - again) / first.length);
            }
        }
        return values;
    }

    private long take(RowSnapshot rows, long[] ids) throws IOException {
        long started = System.nanoTime();
        List<StoredRow> taken = rows.takeAll(ids, Projection.ALL);
        values.merge("take ms", (System.nanoTime() - started) / 1e6, (a, b) -> b);
        long bytes = 0;
        for (StoredRow row : taken) {
            bytes += row.key().canonical().length + row.source().length;
            for (float[] vector : row.vectors().values()) {
                bytes += (long) vector.length * Float.BYTES;
            }
        }
        return bytes;
    }

    /** Live rows, evenly drawn, ascending. */
    private static long[] rows(
            CollectionManifest live, CollectionHandle handle, Random random, long oneIn)
            throws IOException {
        RowLocator locator = RowLocator.of(live.splits());
        TreeSet<Long> rows = new TreeSet<>();
        long wanted = Math.max(1, live.liveDocCount() / oneIn);
        while (rows.size() < wanted) {
            long at = (long) (random.nextDouble() * live.liveDocCount());
            for (int i = 0; i < live.splits().size(); i++) {
                SplitRef split = live.splits().get(i);
                if (at >= split.liveCount()) {
                    at -= split.liveCount();
                    continue;
                }
                RoaringBitmap deleted = DeletedDocs.load(handle.objects(), split);
                int doc = random.nextInt((int) split.docCount());
                if (!deleted.contains(doc)) {
                    rows.add(locator.rowId(i, doc).orElseThrow());
                }
                break;
            }
        }
        return rows.stream().mapToLong(Long::longValue).toArray();
    }
}
