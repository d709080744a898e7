package io.loam.store.sim;

import io.loam.codec.manifest.CollectionPaths;
import io.loam.store.CollectionHandle;
import io.loam.store.UlidFactory;
import io.loam.store.Warehouse;
import io.loam.store.chain.Retention;
import io.loam.store.gc.GcOptions;
import io.loam.store.metastore.CollectionInfo;
import io.loam.store.metastore.Lease;
import io.loam.store.metastore.MetastoreException;
import io.loam.store.metastore.Pointer;
import io.loam.store.metastore.PointerSwap;
import io.loam.store.metastore.Tag;
import io.loam.store.object.ObjectInfo;
import io.loam.store.object.ObjectStore;
import io.loam.store.testing.FakeRows;
import io.loam.store.testing.FakeSplits;
import io.loam.store.testing.InMemoryMetastore;
import io.loam.store.testing.InMemoryObjectStore;
import io.loam.store.testing.TestCollection;

import javax.annotation.Nullable;

import java.io.IOException;
import java.nio.file.Path;
import java.util.AbstractList;
import java.util.List;
import java.util.Random;

/** What all processes of a run share. */
final class World {
    static final int PARTITIONS = 2;
    private static final long NANOS_PER_MS = 1_000_000;
    private static final long TWO_HOURS_MS = 7_200_000;

    /** A run makes some ten versions, so that few of them are collected by the default. */
    private static final Retention SHORT = new Retention(1, Retention.DEFAULT.retentionMs());

    final Random random;
    final Mutant mutant;
    final Scheduler scheduler;
    final SimFaults faults;
    final Model model = new Model(PARTITIONS);
    final Oracle oracle;
    final InMemoryObjectStore memory;
    final InMemoryMetastore metastore;
    final CollectionInfo info;
    final Path dir;
    private final Warehouse warehouse;
    private boolean peace;

    /** How garbage is collected: in every other run of the default retention. */
    final GcOptions collecting;

    World(long seed, Mutant mutant, Path dir) throws IOException {
        this.collecting =
                seed % 2 == 0 ? GcOptions.DEFAULT : GcOptions.DEFAULT.withRetention(SHORT);
        this.random = new Random(seed);
        this.mutant = mutant;
        this.dir = dir;
        this.scheduler = new Scheduler(random);
        this.faults = new SimFaults(scheduler, random);
        this.memory = new InMemoryObjectStore(scheduler::nowMs);
        this.metastore = rawMetastore();
        this.info =
                metastore.createCollection(
                        "default", "docs", TestCollection.schema(), PARTITIONS, null);
        this.oracle =
                new Oracle(
                        memory,
                        metastore,
                        new CollectionPaths(info.namespaceId(), info.id()),
                        model,
                        scheduler,
                        collecting.retention());
        this.warehouse = warehouse(new SimObjects(memory, faults), simMetastore(0));
    }

    private InMemoryMetastore rawMetastore() {
        return new InMemoryMetastore(scheduler::nowMs) {
            @Override
            protected void requireFence(PointerSwap swap, @Nullable Lease lease)
                    throws MetastoreException {
                if (mutant != Mutant.SWAP_IGNORES_EPOCH) {
                    super.requireFence(swap, lease);
                }
            }

            @Override
            public synchronized Pointer swapPointer(PointerSwap swap) throws MetastoreException {
                return super.swapPointer(
                        mutant == Mutant.SWAP_IGNORES_VERSION ? onWhatIsThere(swap) : swap);
            }

            private PointerSwap onWhatIsThere(PointerSwap swap) {
                return new PointerSwap(
                        swap.namespaceId(),
                        swap.key(),
                        pointer(swap.namespaceId(), swap.key()).map(Pointer::version).orElse(0L),
                        swap.value(),
                        swap.leaseKey(),
                        swap.leaseEpoch(),
                        swap.createdAtMs(),
                        swap.maxAgeMs());
            }
        };
    }

    private SimMetastore simMetastore(long aheadMs) {
        return new SimMetastore(metastore, faults, oracle::swapped) {
            @Override
            public long clockMs() throws MetastoreException {
                return super.clockMs() + aheadMs;
            }
        };
    }

    private SimMetastore withoutTags() {
        return new SimMetastore(metastore, faults, oracle::swapped) {
            @Override
            public List<Tag> releaseVersions(long collectionId, long below)
                    throws MetastoreException {
                super.releaseVersions(collectionId, below);
                return List.of();
            }
        };
    }

    private Warehouse warehouse(ObjectStore objects, SimMetastore simulated) {
        return Warehouse.of(
                simulated,
                objects,
                FakeRows::new,
                FakeSplits::new,
                now ->
                        new UlidFactory(
                                now,
                                () -> scheduler.nowMs() * NANOS_PER_MS,
                                new Random(random.nextLong())));
    }

    /** From now on nothing fails, and jobs take all there is. */
    void makePeace() {
        peace = true;
        faults.heal();
        scheduler.note("== peace");
    }

    boolean isPeace() {
        return peace;
    }

    /** The collection as a process opens it. */
    CollectionHandle open() throws IOException {
        return warehouse.open(info.id());
    }

    /** The collection as side jobs open it. */
    CollectionHandle openForMaintenance() throws IOException {
        return mutant == Mutant.MERGE_IS_NOT_ANNOUNCED
                ? warehouse(new UnannouncedObjects(), simMetastore(0)).open(info.id())
                : open();
    }

    /** Loses descriptors. */
    private final class UnannouncedObjects extends SimObjects {
        UnannouncedObjects() {
            super(memory, faults);
        }

        @Override
        public void put(String path, byte[] bytes) throws IOException {
            if (!path.contains("/staged/")) {
                super.put(path, bytes);
            }
        }
    }

    /** The collection as the garbage collector opens it. */
    CollectionHandle openForCollector() throws IOException {
        long aheadMs = mutant == Mutant.GC_IGNORES_GRACE ? TWO_HOURS_MS : 0;
        SimMetastore simulated =
                mutant == Mutant.GC_IGNORES_TAGS ? withoutTags() : simMetastore(aheadMs);
        return warehouse(new CollectorsObjects(), simulated).open(info.id());
    }

    /** The collection without any simulation, for checks at the end. */
    CollectionHandle openRaw() throws IOException {
        return Warehouse.of(metastore, memory, FakeRows::new, FakeSplits::new).open(info.id());
    }

    /** Checks every delete, and is where collectors are wrong. */
    private final class CollectorsObjects extends SimObjects {
        CollectorsObjects() {
            super(memory, faults);
        }

        @Override
        public void delete(String path) throws IOException {
            super.delete(path);
            oracle.deleted(path);
        }

        @Override
        public List<ObjectInfo> list(String prefix) throws IOException {
            List<ObjectInfo> listed = super.list(prefix);
            if (mutant == Mutant.GC_IGNORES_DESCRIPTORS && prefix.endsWith("/staged/")) {
                return List.of();
            }
            return mutant == Mutant.GC_LISTS_LAST ? new ListedWhenLookedAt(prefix) : listed;
        }
    }

    /** A listing that is made when somebody first looks at it. */
    private final class ListedWhenLookedAt extends AbstractList<ObjectInfo> {
        private final String prefix;
        private List<ObjectInfo> listed;

        ListedWhenLookedAt(String prefix) {
            this.prefix = prefix;
        }

        private List<ObjectInfo> listed() {
            if (listed == null) {
                listed = memory.list(prefix);
            }
            return listed;
        }

        @Override
        public ObjectInfo get(int index) {
            return listed().get(index);
        }

        @Override
        public int size() {
            return listed().size();
        }
    }
}
