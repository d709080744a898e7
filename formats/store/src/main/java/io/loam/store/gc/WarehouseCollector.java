package io.loam.store.gc;

import io.loam.store.CollectionHandle;
import io.loam.store.Warehouse;
import io.loam.store.metastore.CollectionInfo;
import io.loam.store.metastore.Metastore;
import io.loam.store.metastore.MetastoreException;
import io.loam.store.metastore.MetastoreException.Code;
import io.loam.store.metastore.RetiredPath;
import io.loam.store.object.ObjectInfo;

import javax.annotation.Nullable;

import java.io.IOException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

/**
 * Collects the garbage of a whole warehouse, one pass at a time:
 *
 * <pre>
 * 1  collections without a name, older than the staging retention, are dropped
 * 2  paths of dropped collections; a path below which nothing was left is forgotten
 * 3  every collection, by {@link GarbageCollector}
 * 4  key indexes in the object store that belong to no collection
 * </pre>
 *
 * A root that cannot be read is reported and left alone, the others go on. Not for several threads.
 */
public final class WarehouseCollector {
    private final Warehouse warehouse;
    private final Metastore metastore;
    private final GcOptions options;
    private final DroppedRoots dropped;

    public WarehouseCollector(Warehouse warehouse, GcOptions options) {
        this.warehouse = warehouse;
        this.metastore = warehouse.metastore();
        this.options = options;
        this.dropped = new DroppedRoots(warehouse.objects(), options);
    }

    /** What a pass would do now; deletes nothing and needs no lease. */
    public GcReport plan() throws IOException {
        return run(null);
    }

    /**
     * One pass.
     *
     * @throws MetastoreException LEASE_LOST if the lease is lost meanwhile; earlier batches are
     *     deleted
     */
    public GcReport sweep(GcLease lease) throws IOException {
        return run(lease);
    }

    /** The same of one collection only. */
    public GcReport plan(CollectionInfo collection) throws IOException {
        return one(collection, null);
    }

    /** The same of one collection only. */
    public GcReport sweep(CollectionInfo collection, GcLease lease) throws IOException {
        return one(collection, lease);
    }

    private GcReport one(CollectionInfo collection, @Nullable GcLease lease) throws IOException {
        List<GcReport.Root> roots = new ArrayList<>();
        addCollection(roots, collection, lease);
        return new GcReport(roots);
    }

    private GcReport run(@Nullable GcLease lease) throws IOException {
        List<GcReport.Root> roots = new ArrayList<>();
        if (lease != null) {
            dropAbandoned(lease);
        }
        List<CollectionInfo> collections = collections();
        long clockMs = metastore.clockMs();
        for (RetiredPath path : metastore.retiredPaths()) {
            confirm(lease);
            add(
                    roots,
                    path.path(),
                    () -> {
                        GcPlan plan = dropped.retired(path, collections, clockMs);
                        if (lease != null
                                && plan.verdicts().isEmpty()
                                && dropped.isDue(path, clockMs)) {
                            lease.confirm();
                            metastore.forgetRetiredPath(path.path());
                        }
                        return done(plan, lease);
                    });
        }
        for (CollectionInfo collection : collections) {
            addCollection(roots, collection, lease);
        }
        Set<Long> namespaces = new TreeSet<>();
        collections.forEach(collection -> namespaces.add(collection.namespaceId()));
        for (long namespace : namespaces) {
            addKeyIndexes(roots, namespace, lease);
        }
        return new GcReport(roots);
    }

    /**
     * Drops collections that never got a name, in so long a time that what was written into them
     * could not be committed any more: nobody is there who will name or drop them.
     */
    private void dropAbandoned(GcLease lease) throws IOException {
        long horizonMs = options.horizonMs(metastore.clockMs()) - options.stagingRetentionMs();
        for (CollectionInfo staged : ofAllNamespaces(metastore::stagedCollections)) {
            if (staged.createdAtMs() < horizonMs) {
                lease.confirm();
                metastore.dropStagedCollection(staged.id());
            }
        }
    }

    /** With those that have no name yet. */
    private List<CollectionInfo> collections() throws IOException {
        List<CollectionInfo> collections = ofAllNamespaces(metastore::stagedCollections);
        List<CollectionInfo> named = ofAllNamespaces(metastore::collections);
        Set<Long> ids = new HashSet<>();
        collections.forEach(staged -> ids.add(staged.id()));
        named.stream().filter(info -> ids.add(info.id())).forEach(collections::add);
        return collections;
    }

    private interface Listing {
        List<CollectionInfo> of(String namespace) throws IOException;
    }

    private List<CollectionInfo> ofAllNamespaces(Listing listing) throws IOException {
        List<CollectionInfo> collections = new ArrayList<>();
        for (String namespace : metastore.namespaces()) {
            try {
                collections.addAll(listing.of(namespace));
            } catch (MetastoreException e) {
                if (e.code() != Code.NAMESPACE_NOT_FOUND) { // dropped meanwhile
                    throw e;
                }
            }
        }
        return collections;
    }

    private void addCollection(
            List<GcReport.Root> roots, CollectionInfo collection, @Nullable GcLease lease)
            throws IOException {
        confirm(lease);
        add(
                roots,
                collection.namespace() + "." + collection.name(),
                () -> {
                    try (CollectionHandle handle = warehouse.open(collection.id());
                            GarbageCollector collector = new GarbageCollector(handle, options)) {
                        return lease == null ? planned(collector.plan()) : collector.sweep(lease);
                    }
                });
    }

    /** Listed first, so that whatever is found belongs to a collection that is read after it. */
    private void addKeyIndexes(List<GcReport.Root> roots, long namespaceId, @Nullable GcLease lease)
            throws IOException {
        List<ObjectInfo> listed = dropped.keyIndexes(namespaceId);
        if (!listed.isEmpty()) {
            add(
                    roots,
                    "key indexes of namespace " + namespaceId,
                    () ->
                            done(
                                    dropped.ownerless(
                                            listed,
                                            collections(),
                                            metastore.retiredPaths(),
                                            metastore.clockMs()),
                                    lease));
        }
    }

    /** However long reading the roots takes, none may take longer than the lease stands. */
    private static void confirm(@Nullable GcLease lease) throws IOException {
        if (lease != null) {
            lease.confirm();
        }
    }

    private interface Work {
        GcResult run() throws IOException;
    }

    private static void add(List<GcReport.Root> roots, String name, Work work) throws IOException {
        try {
            roots.add(new GcReport.Root(name, work.run(), null));
        } catch (MetastoreException e) {
            if (e.code() == Code.LEASE_LOST || e.code().unknownOutcome()) {
                throw e;
            }
            if (e.code() != Code.COLLECTION_NOT_FOUND) { // dropped meanwhile
                roots.add(new GcReport.Root(name, null, e.getMessage()));
            }
        } catch (IOException | RuntimeException e) {
            roots.add(new GcReport.Root(name, null, e.toString()));
        }
    }

    private GcResult done(GcPlan plan, @Nullable GcLease lease) throws IOException {
        return lease == null
                ? planned(plan)
                : new Deletes(warehouse.objects(), lease, options.maxDeletes()).run(plan);
    }

    private static GcResult planned(GcPlan plan) {
        return new GcResult(plan, 0, plan.deletes().size());
    }
}
