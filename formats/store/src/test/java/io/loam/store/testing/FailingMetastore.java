package io.loam.store.testing;

import io.loam.store.metastore.Metastore;
import io.loam.store.metastore.MetastoreException;

/**
 * A metastore whose operations fail as a {@link FaultPlan} says, with UNAVAILABLE before and with
 * TIMEOUT after they took effect. A stale answer is the one before the newest change this wrapper
 * saw; a flipped one names another path or version than the pointer.
 */
public final class FailingMetastore extends InterceptedMetastore {
    private final FaultPlan plan;
    private final FaultyAnswers answers = new FaultyAnswers();

    public FailingMetastore(Metastore delegate, FaultPlan plan) {
        super(delegate);
        this.plan = plan;
    }

    @Override
    protected <T> T call(String operation, Call<T> call) throws MetastoreException {
        FaultPlan.Fault fault = plan.next(operation);
        switch (fault) {
            case BEFORE:
                throw new MetastoreException(
                        MetastoreException.Code.UNAVAILABLE, "injected before " + operation);
            case TIMEOUT_BEFORE:
                throw new MetastoreException(
                        MetastoreException.Code.TIMEOUT, "injected timeout of " + operation);
            case SLOW:
            case STALLED:
                plan.slow(fault);
                break;
            default:
        }
        T result = call.run();
        switch (fault) {
            case NONE:
            case SLOW:
            case STALLED:
                return answers.remember(operation, result);
            case AFTER:
            case TIMEOUT_AFTER:
                throw new MetastoreException(
                        MetastoreException.Code.TIMEOUT, "injected after " + operation);
            case STALE:
                return answers.older(operation, result);
            case FLIPPED:
                return answers.flipped(result);
            default:
                throw new AssertionError(fault + " makes no sense for " + operation);
        }
    }
}
