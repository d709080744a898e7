package io.loam.store.sim;

import io.loam.codec.Ulid;
import io.loam.codec.schema.CollectionSchema;
import io.loam.store.metastore.CollectionHead;
import io.loam.store.metastore.CollectionInfo;
import io.loam.store.metastore.Lease;
import io.loam.store.metastore.Metastore;
import io.loam.store.metastore.MetastoreException;
import io.loam.store.metastore.MetastoreException.Code;
import io.loam.store.metastore.Pointer;
import io.loam.store.metastore.PointerSwap;
import io.loam.store.metastore.RetiredPath;
import io.loam.store.testing.FaultPlan.Fault;

import java.util.List;
import java.util.Optional;

/** The metastore as simulated processes see it; a swap that took effect is shown to an observer. */
class SimMetastore implements Metastore {
    private final Metastore raw;
    private final SimFaults faults;
    private final SwapObserver observer;

    /** Sees every swap that took effect, at that very moment. */
    interface SwapObserver {
        void swapped(PointerSwap swap) throws MetastoreException;
    }

    private interface Call<T> {
        T run() throws MetastoreException;
    }

    SimMetastore(Metastore raw, SimFaults faults, SwapObserver observer) {
        this.raw = raw;
        this.faults = faults;
        this.observer = observer;
    }

    private <T> T call(String what, Call<T> call) throws MetastoreException {
        Fault fault = faults.before(what);
        if (fault == Fault.BEFORE) {
            throw new MetastoreException(Code.UNAVAILABLE, "injected before " + what);
        }
        T result = call.run();
        if (fault == Fault.AFTER) {
            throw new MetastoreException(Code.TIMEOUT, "injected after " + what);
        }
        return result;
    }

    @Override
    public long clockMs() throws MetastoreException {
        return call("clockMs", raw::clockMs);
    }

    @Override
    public CollectionInfo collection(long id) throws MetastoreException {
        return call("collection", () -> raw.collection(id));
    }

    @Override
    public CollectionHead head(long id) throws MetastoreException {
        return call("head", () -> raw.head(id));
    }

    @Override
    public List<RetiredPath> retiredPaths() throws MetastoreException {
        return call("retiredPaths", raw::retiredPaths);
    }

    @Override
    public Optional<Pointer> pointer(long namespaceId, String key) throws MetastoreException {
        return call("pointer", () -> raw.pointer(namespaceId, key));
    }

    @Override
    public Pointer swapPointer(PointerSwap swap) throws MetastoreException {
        return call(
                "swap to " + (swap.expectedVersion() + 1) + " with epoch " + swap.leaseEpoch(),
                () -> {
                    Pointer next = raw.swapPointer(swap);
                    observer.swapped(swap);
                    return next;
                });
    }

    @Override
    public Lease acquireLease(String key, String owner, long ttlMs) throws MetastoreException {
        return call("acquire " + key, () -> raw.acquireLease(key, owner, ttlMs));
    }

    @Override
    public Lease takeOverLease(String key, String owner, long ttlMs) throws MetastoreException {
        return call("take over " + key, () -> raw.takeOverLease(key, owner, ttlMs));
    }

    @Override
    public Lease renewLease(String key, String owner, long epoch, long ttlMs)
            throws MetastoreException {
        return call("renew " + key, () -> raw.renewLease(key, owner, epoch, ttlMs));
    }

    @Override
    public Lease reacquireLease(String key, String owner, long epoch, long ttlMs)
            throws MetastoreException {
        return call("reacquire " + key, () -> raw.reacquireLease(key, owner, epoch, ttlMs));
    }

    @Override
    public void releaseLease(String key, String owner, long epoch) throws MetastoreException {
        call(
                "release " + key,
                () -> {
                    raw.releaseLease(key, owner, epoch);
                    return null;
                });
    }

    @Override
    public Optional<Lease> lease(String key) throws MetastoreException {
        return call("lease " + key, () -> raw.lease(key));
    }

    @Override
    public long rowIdBase(long id, Ulid incarnation, long arena, long floor)
            throws MetastoreException {
        return call(
                "rowIdBase " + arena + " " + floor,
                () -> raw.rowIdBase(id, incarnation, arena, floor));
    }

    @Override
    public long createNamespace(String name) {
        throw new UnsupportedOperationException("not simulated");
    }

    @Override
    public List<String> namespaces() {
        throw new UnsupportedOperationException("not simulated");
    }

    @Override
    public CollectionInfo createCollection(
            String namespace, String name, CollectionSchema schema, int partitions, String topic) {
        throw new UnsupportedOperationException("not simulated");
    }

    @Override
    public Optional<CollectionInfo> findCollection(String namespace, String name) {
        throw new UnsupportedOperationException("not simulated");
    }

    @Override
    public Optional<CollectionHead> head(String namespace, String name) {
        throw new UnsupportedOperationException("not simulated");
    }

    @Override
    public List<CollectionInfo> collections(String namespace) {
        throw new UnsupportedOperationException("not simulated");
    }

    @Override
    public CollectionInfo updateSchema(long id, long expected, CollectionSchema next) {
        throw new UnsupportedOperationException("not simulated");
    }

    @Override
    public void dropCollection(long id) {
        throw new UnsupportedOperationException("not simulated");
    }

    @Override
    public void close() {}
}
