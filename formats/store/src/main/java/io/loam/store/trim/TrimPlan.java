package io.loam.store.trim;

import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * What trimming gives up.
 *
 * @param oldestVersion the oldest version that is retained; 0 before the first commit
 */
public record TrimPlan(long oldestVersion, List<Partition> partitions) {

    /**
     * One partition.
     *
     * @param start first offset there is
     * @param end next offset
     * @param needed first offset that a job may read again
     */
    public record Partition(int partition, long start, long end, long needed) {
        /** Offsets that go. */
        public long goes() {
            return Math.max(0, needed - start);
        }
    }

    public TrimPlan {
        partitions = List.copyOf(partitions);
    }

    public long goes() {
        return partitions.stream().mapToLong(Partition::goes).sum();
    }

    TrimPlan atMost(Map<Integer, Long> offsets) {
        return new TrimPlan(
                oldestVersion,
                partitions.stream()
                        .map(
                                p ->
                                        new Partition(
                                                p.partition(),
                                                p.start(),
                                                p.end(),
                                                Math.min(
                                                        p.needed(),
                                                        offsets.getOrDefault(p.partition(), 0L))))
                        .toList());
    }

    /** Where to cut the partitions of which something goes. */
    Map<Integer, Long> cuts() {
        Map<Integer, Long> cuts = new TreeMap<>();
        for (Partition partition : partitions) {
            if (partition.goes() > 0) {
                cuts.put(partition.partition(), partition.needed());
            }
        }
        return cuts;
    }
}
