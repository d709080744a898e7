package io.loam.tantivy;

import io.loam.codec.Ulid;
import io.loam.codec.manifest.SplitRef;
import io.loam.codec.schema.CollectionSchema;
import io.loam.store.LocalFiles;
import io.loam.store.object.ObjectStore;
import io.loam.store.spi.DecodedValues;
import io.loam.store.spi.DeletedDocuments;
import io.loam.store.spi.KnownDocument;
import io.loam.store.spi.SplitBuilder;
import io.loam.store.spi.SplitReader;
import io.loam.store.spi.SplitStore;
import io.loam.tantivy.DeleteOverlay.Masked;

import org.roaringbitmap.RoaringBitmap;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * The splits of a collection. Opening one reads its object once and keeps the files in a local
 * cache of bounded size, so opening it again reads nothing.
 */
final class TantivySplitStore implements SplitStore {
    /** Splits that are not open any more stay on local disk up to this size. */
    private static final long CACHE_BYTES = 4L << 30;

    private final ObjectStore objects;
    private final String root;
    private final SplitCache cache;

    TantivySplitStore(ObjectStore objects, String collectionRoot) throws IOException {
        this(objects, collectionRoot, CACHE_BYTES);
    }

    TantivySplitStore(ObjectStore objects, String collectionRoot, long cacheBytes)
            throws IOException {
        this.objects = objects;
        this.root = collectionRoot;
        this.cache = new SplitCache(objects, cacheBytes);
    }

    Path cacheDirectory() {
        return cache.root();
    }

    @Override
    public SplitBuilder newSplit(Ulid ulid, CollectionSchema schema, Path workDir)
            throws IOException {
        return new TantivySplitBuilder(ulid, TantivyLayout.of(schema), workDir);
    }

    @Override
    public Optional<SplitBuilder.Built> join(
            Ulid ulid,
            List<SplitRef> inputs,
            List<KnownDocument> sample,
            CollectionSchema current,
            Path workDir)
            throws IOException {
        List<Masked> segments = new ArrayList<>();
        Path joined = workDir.resolve(ulid + ".joined");
        try {
            for (SplitRef input : inputs) {
                Path directory = workDir.resolve(input.ulid() + ".segment");
                segments.add(
                        new Masked(
                                LocalSplit.load(objects, path(input), input, directory),
                                new RoaringBitmap()));
            }
            IndexMeta meta = SegmentMerge.run(segments, joined);
            TantivyLayout layout =
                    TantivyLayout.recover(path(inputs.get(0)), meta.schema(), current);
            new JoinCheck(segments.stream().map(Masked::split).toList(), layout)
                    .check(joined, meta, sample);
            return Optional.of(
                    SplitBundle.of(
                            joined,
                            meta,
                            workDir.resolve(ulid + ".joined.converted.split"),
                            workDir.resolve(ulid + ".joined.split")));
        } catch (RuntimeException e) {
            throw new IOException("cannot join splits into " + ulid, e);
        } finally {
            for (Masked segment : segments) {
                LocalFiles.delete(segment.split().directory());
            }
            LocalFiles.delete(joined);
        }
    }

    @Override
    public SplitReader openBeside(
            SplitRef split, CollectionSchema current, DeletedDocuments deleted) throws IOException {
        String path = path(split);
        LocalSplit local = cache.acquire(path, split);
        try {
            TantivyLayout layout = TantivyLayout.recover(path, local.meta().schema(), current);
            return new TantivySplitReader(
                    local,
                    layout,
                    deleted.await(),
                    cache.newDirectory(),
                    () -> cache.release(split.ulid()));
        } catch (IOException | RuntimeException e) {
            cache.release(split.ulid());
            throw e;
        }
    }

    /** Two reads: the footer and the index's own description. */
    @Override
    public CollectionSchema schemaOf(SplitRef split, CollectionSchema current) throws IOException {
        String path = path(split);
        IndexMeta meta = SplitBundle.meta(objects, path, split);
        return new CollectionSchema(
                split.schemaVersion(),
                TantivyLayout.recover(path, meta.schema(), current).schemaFields(),
                current.vectors(),
                current.sparseVectors(),
                CollectionSchema.Dynamic.IGNORE,
                current.maxFields(),
                current.annotations());
    }

    private String path(SplitRef split) {
        return root + "text/splits/" + split.ulid() + ".split";
    }

    @Override
    public void evictOthers(Set<Ulid> named) throws IOException {
        cache.evictOthers(named);
    }

    @Override
    public void decode(String path, DecodedValues into) throws IOException {
        DecodedSplit.read(path, objects.get(path), into);
    }

    @Override
    public void close() throws IOException {
        cache.close();
    }
}
