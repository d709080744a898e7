package io.loam.store.commit;

import io.loam.codec.manifest.CollectionManifest;
import io.loam.store.chain.ManifestChain;

import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Whether a writer may go on from restored state. It may not if the state is ahead of the
 * collection: it was saved after commits that this collection never saw, because the pointer was
 * rolled back or this is an older copy of the warehouse. The rule is the one for committables:
 *
 * <pre>
 * the last apply commit is one the writer knows            its own ones may still be pending: go on
 * the writer's last commit is on the retained chain        others published since: go on
 * all that it staged is below the applied offsets, or,
 *   without offsets, below the high water of row ids       the chain has forgotten it: go on
 * anything else                                            ahead
 * </pre>
 */
public final class LineageCheck {
    private LineageCheck() {}

    /**
     * @param lineage commits the state stands on, oldest first, unpublished ones included
     * @param offsets where what the writer staged ends, by partition; empty in direct mode
     * @param rowIdEnd every row id it staged is below
     * @throws CommitRefusedException if the state is ahead
     */
    public static void requireNotAhead(
            ManifestChain chain, List<String> lineage, Map<Integer, Long> offsets, long rowIdEnd)
            throws IOException {
        CollectionManifest live = chain.live().manifest();
        if (lineage.isEmpty() || lineage.contains(ApplyProperties.lastCommit(live.properties()))) {
            return;
        }
        Map<Integer, OffsetRange> missing = missing(live, offsets);
        boolean covered =
                offsets.isEmpty()
                        ? Long.compareUnsigned(rowIdEnd, live.rowIdHighWater()) <= 0
                        : missing.isEmpty();
        String last = lineage.get(lineage.size() - 1);
        if (!covered && chain.findCommit(last).isEmpty()) {
            throw Refusal.ofState(last, live, missing);
        }
    }

    private static Map<Integer, OffsetRange> missing(
            CollectionManifest live, Map<Integer, Long> offsets) {
        Map<Integer, OffsetRange> missing = new TreeMap<>();
        offsets.forEach(
                (partition, end) -> {
                    long applied = live.applied().getOrDefault(partition, 0L);
                    if (end > applied) {
                        missing.put(partition, new OffsetRange(applied, end, 0));
                    }
                });
        return missing;
    }
}
