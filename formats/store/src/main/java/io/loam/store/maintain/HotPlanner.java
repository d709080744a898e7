package io.loam.store.maintain;

import io.loam.codec.CorruptException;
import io.loam.codec.hot.HotDescriptor;
import io.loam.codec.manifest.CommitKind;
import io.loam.codec.manifest.HotArtifactRef;
import io.loam.codec.manifest.RowIdRange;
import io.loam.codec.manifest.TaskKeys;
import io.loam.codec.schema.CollectionSchema;
import io.loam.codec.schema.CollectionSchema.Vector;
import io.loam.codec.schema.HotConfiguration;
import io.loam.codec.schema.VectorColumns;
import io.loam.store.CollectionHandle;
import io.loam.store.LiveManifest;
import io.loam.store.chain.ManifestChain;
import io.loam.store.chain.Retention;
import io.loam.store.hot.HotObjects;
import io.loam.store.maintain.MaintenanceTask.BuildHot;
import io.loam.store.metastore.Lease;
import io.loam.store.object.ObjectNotFoundException;
import io.loam.store.spi.HotEngine;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.stream.IntStream;

/**
 * Chooses the hot graphs to build, at most one task for each vector. Wanted are the vectors that
 * the schema pins, and all of them while somebody holds the collection's promotion lease for
 * vectors.
 *
 * <pre>
 * no graph, or none that can be served          build
 * no apply commit with key changes since        current
 * the chain does not reach back to its version  stale from the start
 * stale, and enough inserted or long enough     build
 * </pre>
 */
final class HotPlanner {
    private static final Logger LOG = LoggerFactory.getLogger(HotPlanner.class);

    private final HotPolicy policy;

    HotPlanner(HotPolicy policy) {
        this.policy = policy;
    }

    /** Positions of the vectors that are to have a hot graph. */
    static SortedSet<Integer> wanted(CollectionHandle handle) throws IOException {
        CollectionSchema schema = handle.schema();
        SortedSet<Integer> wanted = new TreeSet<>(HotConfiguration.pinned(schema));
        if (wanted.size() < schema.vectors().size() && isPromoted(handle)) {
            IntStream.range(0, schema.vectors().size()).forEach(wanted::add);
        }
        return wanted;
    }

    /** The owner of the lease says what it loads: {@code <node>;vectors,text}. */
    private static boolean isPromoted(CollectionHandle handle) throws IOException {
        String key = TaskKeys.promoteHot(handle.info().namespaceId(), handle.info().id());
        Optional<Lease> lease = handle.metastore().lease(key);
        if (lease.isEmpty() || lease.get().owner() == null) {
            return false;
        }
        String owner = lease.get().owner();
        boolean vectors =
                Arrays.asList(owner.substring(owner.lastIndexOf(';') + 1).split(","))
                        .contains("vectors");
        return vectors && lease.get().expiresAtMs() > handle.metastore().clockMs();
    }

    List<BuildHot> plan(CollectionHandle handle, LiveManifest live, long nowMs) throws IOException {
        List<BuildHot> tasks = new ArrayList<>();
        if (!policy.enabled() || live.manifest().liveDocCount() == 0) {
            return tasks;
        }
        SortedSet<Integer> wanted = wanted(handle);
        if (wanted.isEmpty()) {
            return tasks;
        }
        Optional<HotEngine> engine = handle.hotEngine();
        if (engine.isEmpty()) {
            LOG.warn(
                    "collection {} wants hot graphs, and nothing on the class path builds them;"
                            + " add the module loam-hnsw",
                    handle.info().id());
            return tasks;
        }
        for (int position : wanted) {
            Vector vector = handle.schema().vectors().get(position);
            String column = VectorColumns.dense(position);
            if (isDue(handle, live, nowMs, engine.get(), column, vector)) {
                tasks.add(new BuildHot(position, column, vector.name()));
            }
        }
        return tasks;
    }

    private boolean isDue(
            CollectionHandle handle,
            LiveManifest live,
            long nowMs,
            HotEngine engine,
            String column,
            Vector vector)
            throws IOException {
        Optional<HotArtifactRef> there = live.manifest().hotArtifact(column);
        if (there.isEmpty()) {
            return true;
        }
        Optional<HotDescriptor> usable = usable(handle, there.get(), engine, vector);
        if (usable.isEmpty()) {
            return true;
        }
        Optional<Long> since = staleSince(handle, live, nowMs, there.get().sourceVersion());
        return since.isPresent()
                && policy.isDue(
                        inserted(live, usable.get().nextRowId()),
                        usable.get().points(),
                        nowMs - since.get());
    }

    private static Optional<HotDescriptor> usable(
            CollectionHandle handle, HotArtifactRef ref, HotEngine engine, Vector vector)
            throws IOException {
        HotObjects stored = new HotObjects(handle.objects(), ref.prefix());
        try {
            HotDescriptor descriptor = stored.descriptor();
            boolean ours =
                    ref.kind().equals(HotObjects.KIND) && descriptor.fits(engine.name(), vector);
            List<String> missing = ours ? stored.missing(descriptor) : List.of();
            if (!missing.isEmpty()) {
                LOG.warn("{} is gone; the hot graph is built anew", missing.get(0));
            }
            return ours && missing.isEmpty() ? Optional.of(descriptor) : Optional.empty();
        } catch (CorruptException | ObjectNotFoundException e) {
            LOG.warn("a hot graph is damaged and built anew: {}", e.getMessage());
            return Optional.empty();
        }
    }

    /** Rows that are not in the graph because they are newer, deleted ones included. */
    private static long inserted(LiveManifest live, long nextRowId) {
        return live.manifest().splits().stream()
                .flatMap(split -> split.ranges().stream())
                .mapToLong(range -> countFrom(range, nextRowId))
                .sum();
    }

    private static long countFrom(RowIdRange range, long nextRowId) {
        if (Long.compareUnsigned(range.end(), nextRowId) <= 0) {
            return 0;
        }
        return Long.compareUnsigned(range.start(), nextRowId) >= 0
                ? range.length()
                : range.end() - nextRowId;
    }

    /** When the first apply commit came that changed keys since; nothing if none did. */
    private Optional<Long> staleSince(
            CollectionHandle handle, LiveManifest live, long nowMs, long sourceVersion)
            throws IOException {
        ManifestChain.Walk walk =
                new ManifestChain(handle.objects(), live, Retention.DEFAULT, nowMs).walk();
        Optional<Long> since = Optional.empty();
        for (ManifestChain.Link link = walk.next(); link != null; link = walk.next()) {
            if (link.version() <= sourceVersion) {
                return since;
            }
            if (link.manifest().kind() == CommitKind.LINK_APPLY
                    && !link.manifest().pkDelta().isEmpty()) {
                since = Optional.of(link.manifest().createdAtMs());
                if (nowMs - since.get() >= policy.staleMs()) {
                    return since;
                }
            }
        }
        return Optional.of(Long.MIN_VALUE / 2);
    }
}
