package io.loam.store.trim;

import io.loam.codec.manifest.CollectionManifest;
import io.loam.codec.manifest.TaskKeys;
import io.loam.store.CollectionHandle;
import io.loam.store.chain.ManifestChain;
import io.loam.store.chain.ManifestChain.Link;
import io.loam.store.chain.Retention;
import io.loam.store.metastore.Lease;
import io.loam.store.metastore.Metastore;

import javax.annotation.Nullable;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Trims a collection's stream: of each partition goes what lies before the offset that the oldest
 * retained version has applied. Nobody needs it: jobs start at {@code applied}, and an older
 * version than that is not read any more. Tags hold nothing back.
 *
 * <p>The lease is confirmed just before the cut. Whoever is late all the same cuts where it was
 * right to cut earlier, which changes nothing.
 */
public final class StreamTrimmer {
    private static final long LEASE_MS = 60_000;

    private final CollectionHandle handle;
    private final StreamLog log;
    private final Retention retention;
    private final long maxClockSkewMs;

    /**
     * @param maxClockSkewMs versions are retained so much longer
     */
    public StreamTrimmer(
            CollectionHandle handle, StreamLog log, Retention retention, long maxClockSkewMs) {
        if (maxClockSkewMs < 0) {
            throw new IllegalArgumentException(
                    "the clock skew must not be negative: " + maxClockSkewMs + " ms");
        }
        this.handle = handle;
        this.log = log;
        this.retention = retention;
        this.maxClockSkewMs = maxClockSkewMs;
    }

    /** What would go now; changes nothing but that the topic's id is remembered. */
    public TrimPlan plan() throws IOException {
        requireSameLog();
        long clockMs = handle.metastore().clockMs();
        List<Link> chain =
                new ManifestChain(
                                handle.objects(),
                                handle.live(),
                                retention,
                                clockMs - maxClockSkewMs)
                        .retained();
        Map<Integer, Long> applied = new TreeMap<>();
        long oldest = 0;
        if (!chain.isEmpty()) {
            CollectionManifest manifest = chain.get(chain.size() - 1).manifest();
            oldest = manifest.version();
            applied.putAll(manifest.applied());
        }
        Map<Integer, Long> starts = log.starts();
        Map<Integer, Long> ends = log.ends();
        List<TrimPlan.Partition> partitions = new ArrayList<>();
        for (int partition = 0; partition < handle.info().partitions(); partition++) {
            long needed = applied.getOrDefault(partition, 0L);
            long end = ends.getOrDefault(partition, 0L);
            if (needed > end) {
                throw new IOException(
                        "version "
                                + oldest
                                + " of collection "
                                + handle.info().name()
                                + " has applied partition "
                                + partition
                                + " up to "
                                + needed
                                + ", but the stream "
                                + handle.info().topic()
                                + " ends at "
                                + end
                                + "; nothing is trimmed. Was the topic deleted and created again?");
            }
            partitions.add(
                    new TrimPlan.Partition(
                            partition, starts.getOrDefault(partition, 0L), end, needed));
        }
        return new TrimPlan(oldest, partitions);
    }

    private void requireSameLog() throws IOException {
        String id = log.id();
        if (id.isEmpty()) {
            return;
        }
        String bound = handle.metastore().bindTopic(handle.info().id(), id, false);
        if (!bound.equals(id)) {
            throw new IOException(
                    "topic "
                            + handle.info().topic()
                            + " is not the one that collection "
                            + handle.info().name()
                            + " was written from: its id is "
                            + id
                            + ", not "
                            + bound
                            + "; nothing is trimmed");
        }
    }

    /**
     * Trims.
     *
     * @param owner names this run to others
     * @return what went
     * @throws io.loam.store.metastore.MetastoreException LEASE_HELD if another one trims
     */
    public TrimPlan run(String owner) throws IOException {
        return run(owner, null);
    }

    /**
     * Trims no further than told, and not at all the partitions that are not named.
     *
     * @throws io.loam.store.metastore.MetastoreException LEASE_HELD if another one trims
     */
    public TrimPlan runTo(String owner, Map<Integer, Long> offsets) throws IOException {
        return run(owner, offsets);
    }

    private TrimPlan run(String owner, @Nullable Map<Integer, Long> atMost) throws IOException {
        Metastore metastore = handle.metastore();
        String key = TaskKeys.lease(TaskKeys.trim(handle.info().id()));
        Lease lease = metastore.acquireLease(key, owner, LEASE_MS);
        try {
            TrimPlan plan = atMost == null ? plan() : plan().atMost(atMost);
            if (plan.goes() > 0) {
                metastore.renewLease(key, owner, lease.epoch(), LEASE_MS);
                log.deleteBefore(plan.cuts());
            }
            return plan;
        } finally {
            metastore.releaseLease(key, owner, lease.epoch());
        }
    }
}
