package io.loam.store.read;

import io.loam.codec.CorruptException;
import io.loam.codec.key.PrimaryKey;
import io.loam.codec.manifest.RowLocator;
import io.loam.store.object.ParallelIo;
import io.loam.store.spi.RowSnapshot;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import javax.annotation.Nullable;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;

/**
 * Finds the rows of keys. The first look-ups go by the index of keys, where there is one, which
 * reads a few pages; for further ones splits are worth opening, which are read whole and then
 * answer from local files.
 */
final class KeyLookUps {
    private static final Logger LOG = LoggerFactory.getLogger(KeyLookUps.class);
    private static final int LOOK_UPS_BY_INDEX = 4;

    private final List<OpenSplit> splits;
    private final RowLocator locator;
    private final ParallelIo reads;
    private final AtomicInteger lookUps = new AtomicInteger();

    KeyLookUps(List<OpenSplit> splits, RowLocator locator, ParallelIo reads) {
        this.splits = splits;
        this.locator = locator;
        this.reads = reads;
    }

    /** Opens the rows of the version. */
    interface Rows {
        RowSnapshot open() throws IOException;
    }

    /** Ids of the live rows of a key: one, or none, unless the version is damaged. */
    List<Long> rows(PrimaryKey key, Rows rows) throws IOException {
        List<Long> indexed = byIndex(key, rows);
        return indexed == null ? bySplits(key.canonical()) : indexed;
    }

    /** Null if splits have to be asked. */
    @Nullable
    private List<Long> byIndex(PrimaryKey key, Rows rows) throws IOException {
        if (splits.stream().anyMatch(OpenSplit::isOpen)
                || lookUps.incrementAndGet() > LOOK_UPS_BY_INDEX) {
            return null;
        }
        try {
            long[] ids = rows.open().rowsOfKey(key);
            return ids == null ? null : Arrays.stream(ids).boxed().toList();
        } catch (InterruptedIOException e) {
            throw e;
        } catch (IOException | CorruptException e) {
            LOG.warn("key {} is looked up in splits, as its index fails", key, e);
            return null;
        }
    }

    private List<Long> bySplits(byte[] canonical) throws IOException {
        List<Integer> all = IntStream.range(0, splits.size()).boxed().toList();
        return reads.map(all, split -> inSplit(split, canonical)).stream()
                .flatMap(List::stream)
                .toList();
    }

    private List<Long> inSplit(int position, byte[] canonical) throws IOException {
        OpenSplit split = splits.get(position);
        List<Long> ids = new ArrayList<>();
        for (int doc : split.reader().docsOfKey(canonical)) {
            if (!split.deleted().contains(doc)) {
                ids.add(split.rowId(locator, position, doc));
            }
        }
        return ids;
    }
}
