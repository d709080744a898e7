package io.loam.store;

import io.loam.codec.manifest.CollectionPaths;
import io.loam.codec.schema.CollectionSchema;
import io.loam.store.hot.HotGraphs;
import io.loam.store.metastore.CollectionHead;
import io.loam.store.metastore.CollectionInfo;
import io.loam.store.metastore.Metastore;
import io.loam.store.object.ObjectStore;
import io.loam.store.spi.HotEngine;
import io.loam.store.spi.RowStore;
import io.loam.store.spi.SplitStore;

import javax.annotation.Nullable;

import java.io.IOException;
import java.util.Optional;

/**
 * An opened collection. Rows and splits are opened when first asked for. Closing the handle closes
 * them, not the warehouse. May be used from any thread.
 */
public final class CollectionHandle implements AutoCloseable {
    private final Metastore metastore;
    private final ObjectStore objects;
    private final StoreProviders providers;
    private final CollectionPaths paths;
    private final UlidFactory ulids;
    private final ManifestLoader loader;
    private final CollectionHead opened;
    @Nullable private final LiveManifest pinned;
    private final RowVersions rowVersions;
    private volatile CollectionInfo info;
    @Nullable private RowStore rows;
    @Nullable private SplitStore splits;
    @Nullable private HotGraphs hotGraphs;

    CollectionHandle(
            Metastore metastore,
            ObjectStore objects,
            StoreProviders providers,
            UlidFactory ulids,
            CollectionHead head) {
        this(metastore, objects, providers, ulids, head, null);
    }

    private CollectionHandle(
            Metastore metastore,
            ObjectStore objects,
            StoreProviders providers,
            UlidFactory ulids,
            CollectionHead head,
            @Nullable LiveManifest pinned) {
        this.pinned = pinned;
        this.metastore = metastore;
        this.objects = objects;
        this.providers = providers;
        this.opened = head;
        this.info = head.collection();
        this.paths = new CollectionPaths(info.namespaceId(), info.id());
        this.ulids = ulids;
        this.rowVersions = new RowVersions(objects, paths);
        this.loader = new ManifestLoader(objects, info.id());
    }

    /**
     * Another handle of the collection, whose live manifest is that one for ever. To be closed by
     * itself.
     */
    public CollectionHandle pinnedAt(LiveManifest manifest) {
        return new CollectionHandle(metastore, objects, providers, ulids, opened, manifest);
    }

    /** The collection as last read from the metastore. */
    public CollectionInfo info() {
        return info;
    }

    /** The schema as last read from the metastore. */
    public CollectionSchema schema() {
        return info.schema();
    }

    /** Reads the schema linearizably. */
    public CollectionSchema refreshSchema() throws IOException {
        readHead();
        return info.schema();
    }

    /**
     * The live manifest of now. Costs one read of the metastore, which also refreshes {@link #info}
     * and the clock behind {@link #ulids}, and one GET.
     */
    public LiveManifest live() throws IOException {
        if (pinned != null) {
            return pinned;
        }
        return loader.load(readHead().pointer(), this::readHead);
    }

    /**
     * The live manifest of the moment the handle was opened, or a later one if that is gone; saves
     * a reader who just opened the handle the read of the metastore.
     */
    public LiveManifest liveWhenOpened() throws IOException {
        if (pinned != null) {
            return pinned;
        }
        return loader.load(opened.pointer(), this::readHead);
    }

    private CollectionHead readHead() throws IOException {
        CollectionHead head = metastore.head(info.id());
        ulids.observe(head.clockMs());
        info = head.collection();
        return head;
    }

    public Metastore metastore() {
        return metastore;
    }

    public ObjectStore objects() {
        return objects;
    }

    public CollectionPaths paths() {
        return paths;
    }

    public UlidFactory ulids() {
        return ulids;
    }

    /** The row versions of the collection, as their manifests tell of them. */
    public RowVersions rowVersions() {
        return rowVersions;
    }

    /** The rows of the collection. */
    public synchronized RowStore rows() throws IOException {
        if (rows == null) {
            String lance = paths.lance();
            rows = providers.rows().open(objects, lance.substring(0, lance.length() - 1));
        }
        return rows;
    }

    /** The splits of the collection. */
    public synchronized SplitStore splits() throws IOException {
        if (splits == null) {
            splits = providers.splits().open(objects, paths.root());
        }
        return splits;
    }

    /** What builds and searches hot graphs here, if anything does. */
    public Optional<HotEngine> hotEngine() throws IOException {
        return providers.hot();
    }

    /** The open hot graphs of the collection. */
    public synchronized HotGraphs hotGraphs() {
        if (hotGraphs == null) {
            hotGraphs = new HotGraphs(objects, providers::hot);
        }
        return hotGraphs;
    }

    @Override
    public synchronized void close() throws IOException {
        if (hotGraphs != null) {
            hotGraphs.close();
            hotGraphs = null;
        }
        try (RowStore closingRows = rows;
                SplitStore closingSplits = splits) {
            rows = null;
            splits = null;
        }
    }
}
