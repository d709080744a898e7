package io.loam.store.sim;

import io.loam.store.metastore.Metastore;
import io.loam.store.metastore.MetastoreException;
import io.loam.store.metastore.MetastoreException.Code;
import io.loam.store.metastore.Pointer;
import io.loam.store.metastore.PointerSwap;
import io.loam.store.testing.FaultPlan.Fault;
import io.loam.store.testing.InterceptedMetastore;

/** The metastore as simulated processes see it; a swap that took effect is shown to an observer. */
class SimMetastore extends InterceptedMetastore {
    private final Metastore raw;
    private final SimFaults faults;
    private final SwapObserver observer;

    /** Sees every swap that took effect, at that very moment. */
    interface SwapObserver {
        void swapped(PointerSwap swap) throws MetastoreException;
    }

    SimMetastore(Metastore raw, SimFaults faults, SwapObserver observer) {
        super(raw);
        this.raw = raw;
        this.faults = faults;
        this.observer = observer;
    }

    @Override
    protected <T> T call(String what, Call<T> call) throws MetastoreException {
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
    public Pointer swapPointer(PointerSwap swap) throws MetastoreException {
        return call(
                "swap to " + (swap.expectedVersion() + 1) + " with epoch " + swap.leaseEpoch(),
                () -> {
                    Pointer next = raw.swapPointer(swap);
                    observer.swapped(swap);
                    return next;
                });
    }

    /** The processes of a world share one. */
    @Override
    public void close() {}
}
