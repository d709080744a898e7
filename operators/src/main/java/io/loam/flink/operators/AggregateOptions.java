package io.loam.flink.operators;

import io.loam.store.commit.CommitMode;

import org.apache.flink.annotation.Internal;

import javax.annotation.Nullable;

import java.io.Serializable;

/**
 * Whom an aggregate works for.
 *
 * @param writer id of the writer; null for the job's name and the collection's
 * @param collection its name when the graph was built; it may be renamed, a writer is not
 * @param leaseTtlMs how long the apply lease stands unextended
 * @param batch whether the job runs in batch execution: then the same units always make the same
 *     committable
 * @param takeOver whether to take the lease from whoever holds it
 */
@Internal
public record AggregateOptions(
        CommitMode mode,
        @Nullable String writer,
        String collection,
        long leaseTtlMs,
        boolean batch,
        boolean takeOver)
        implements Serializable {
    private static final long serialVersionUID = 1L;
}
