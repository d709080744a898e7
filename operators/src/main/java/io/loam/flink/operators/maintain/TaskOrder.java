package io.loam.flink.operators.maintain;

import io.loam.store.maintain.MaintenanceTask;

import org.apache.flink.annotation.Internal;

import java.io.Serializable;

/** One task of a round, for whichever runner is free. */
@Internal
public record TaskOrder(String round, long collectionId, MaintenanceTask task)
        implements Serializable {
    private static final long serialVersionUID = 1L;
}
