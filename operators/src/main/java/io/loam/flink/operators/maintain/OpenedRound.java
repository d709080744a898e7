package io.loam.flink.operators.maintain;

import org.apache.flink.annotation.Internal;

import java.io.Serializable;

/**
 * A round that was planned: its results are published together, under the planner's lease.
 *
 * @param round names it, also as the owner of the lease
 * @param epoch of the lease
 * @param tasks how many results it will have, at least 1
 */
@Internal
public record OpenedRound(String round, long collectionId, String collection, long epoch, int tasks)
        implements Serializable {
    private static final long serialVersionUID = 1L;
}
