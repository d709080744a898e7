package io.loam.store.maintain;

import io.loam.codec.manifest.CollectionManifest;

import java.io.IOException;
import java.util.List;

/**
 * Fits finished work of one kind to a parent. Called again, with another parent, whenever the swap
 * was lost; reads, but stores nothing.
 */
@FunctionalInterface
interface WorkPlanner<W extends FinishedWork> {
    /**
     * @param parent what was published, with the changes of work planned earlier in this attempt
     * @param startedMs when the attempt began, metastore clock
     * @return one plan for each work, in their order; later ones stand on the earlier ones
     */
    List<WorkPlan> plan(List<W> works, CollectionManifest parent, long startedMs)
            throws IOException;
}
