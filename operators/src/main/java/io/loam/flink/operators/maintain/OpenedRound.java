package io.loam.flink.operators.maintain;

import io.loam.store.maintain.RoundLeases.Taken;

import org.apache.flink.annotation.Internal;

import java.io.Serializable;
import java.util.List;

/**
 * A round that was planned: its results are published together, under the planner's leases.
 *
 * @param round names it, also as the owner of the leases
 * @param tasks how many results it will have, at least 1
 */
@Internal
public record OpenedRound(
        String round, long collectionId, String collection, List<Taken> leases, int tasks)
        implements Serializable {
    private static final long serialVersionUID = 1L;

    public OpenedRound {
        leases = List.copyOf(leases);
    }
}
