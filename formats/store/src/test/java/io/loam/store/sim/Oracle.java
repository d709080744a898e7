package io.loam.store.sim;

import io.loam.codec.lance.LanceManifest;
import io.loam.codec.manifest.CollectionManifest;
import io.loam.codec.manifest.CollectionPaths;
import io.loam.codec.manifest.CommitKind;
import io.loam.codec.manifest.ManifestCodec;
import io.loam.codec.manifest.ManifestFiles;
import io.loam.codec.manifest.ManifestProperties;
import io.loam.codec.manifest.PkDelta;
import io.loam.codec.manifest.PkDeltaCodec;
import io.loam.codec.manifest.RowIdRange;
import io.loam.codec.manifest.SplitRef;
import io.loam.store.chain.Retention;
import io.loam.store.metastore.Lease;
import io.loam.store.metastore.Metastore;
import io.loam.store.metastore.PointerSwap;
import io.loam.store.metastore.Tag;
import io.loam.store.read.DeletedDocs;
import io.loam.store.spi.Projection;
import io.loam.store.spi.RowCursor;
import io.loam.store.spi.StoredRow;
import io.loam.store.testing.FakeRows;
import io.loam.store.testing.InMemoryObjectStore;

import org.roaringbitmap.RoaringBitmap;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

import static io.loam.store.sim.Violation.require;

/**
 * Looks at every manifest the moment it is published, and at every delete:
 *
 * <ul>
 *   <li>the chain is linear; applied offsets never go back; a commit id is published once
 *   <li>whoever swaps holds the lease
 *   <li>rows, live counts and dead letters are exactly what the log folds to
 *   <li>splits hold the same rows; key deltas lead from the parent's rows to the child's
 *   <li>maintenance changes neither offsets nor what the next job must know
 *   <li>every object a published manifest needs is there, and stays while it is retained
 * </ul>
 */
final class Oracle {
    private record Published(
            String path, CollectionManifest manifest, Set<String> needs, Map<String, Long> rows) {}

    private final InMemoryObjectStore memory;
    private final Metastore metastore;
    private final CollectionPaths paths;
    private final Model model;
    private final Scheduler scheduler;
    private final Retention retention;
    private final List<Published> chain = new ArrayList<>();
    private final Set<String> commits = new HashSet<>();

    Oracle(
            InMemoryObjectStore memory,
            Metastore metastore,
            CollectionPaths paths,
            Model model,
            Scheduler scheduler,
            Retention retention) {
        this.memory = memory;
        this.metastore = metastore;
        this.paths = paths;
        this.model = model;
        this.scheduler = scheduler;
        this.retention = retention;
    }

    int versions() {
        return chain.size();
    }

    boolean isPublished(String commitId) {
        return commits.contains(commitId);
    }

    CollectionManifest live() {
        return chain.isEmpty()
                ? CollectionManifest.empty(paths.collection())
                : chain.get(chain.size() - 1).manifest();
    }

    void swapped(PointerSwap swap) {
        try {
            check(swap);
        } catch (IOException e) {
            throw new Violation("version " + (swap.expectedVersion() + 1) + ": " + e);
        }
    }

    private void check(PointerSwap swap) throws IOException {
        CollectionManifest manifest = ManifestCodec.decode(memory.get(swap.value()), swap.value());
        CollectionManifest parent = live();
        String parentPath = chain.isEmpty() ? "" : chain.get(chain.size() - 1).path();
        scheduler.note(
                "  == version "
                        + manifest.version()
                        + " "
                        + manifest.kind()
                        + " "
                        + manifest.applied()
                        + " commit "
                        + manifest.properties().get(ManifestProperties.COMMIT_ID));
        require(
                manifest.version() == parent.version() + 1
                        && manifest.parentVersion() == parent.version()
                        && manifest.parentManifest().equals(parentPath),
                "version " + manifest.version() + " does not follow " + parent.version());
        requireLease(swap);
        if (manifest.kind() == CommitKind.LINK_APPLY) {
            require(
                    commits.add(manifest.properties().get(ManifestProperties.COMMIT_ID)),
                    "commit published twice: " + manifest.properties());
        } else {
            requireCarried(parent, manifest);
        }
        model.advance(manifest.applied());
        require(
                manifest.deadLettersTotal() == model.deadLetters(),
                "dead letters: "
                        + manifest.deadLettersTotal()
                        + ", expected "
                        + model.deadLetters());
        Map<String, Long> rows = rows(manifest);
        requireSplits(manifest, rows);
        requireDelta(manifest, rows);
        Set<String> needs = needs(swap.value(), manifest);
        for (String path : needs) {
            require(
                    memory.stat(path).isPresent(),
                    "version " + manifest.version() + " names " + path + ", which is gone");
        }
        chain.add(new Published(swap.value(), manifest, needs, rows));
    }

    private void requireLease(PointerSwap swap) throws IOException {
        Lease lease = metastore.lease(swap.leaseKey()).orElseThrow();
        require(
                lease.owner() != null && lease.epoch() == swap.leaseEpoch(),
                "published under epoch " + swap.leaseEpoch() + " while " + lease);
    }

    private static void requireCarried(CollectionManifest parent, CollectionManifest child) {
        require(child.applied().equals(parent.applied()), "maintenance moved the offsets");
        for (String key :
                List.of(
                        ManifestProperties.COMMIT_ID,
                        ManifestProperties.INCARNATION,
                        ManifestProperties.CHECKPOINT,
                        ManifestProperties.MODE)) {
            require(
                    String.valueOf(child.properties().get(key))
                            .equals(String.valueOf(parent.properties().get(key))),
                    "maintenance lost " + key);
        }
    }

    /** Key to row id, after the documents were compared. */
    private Map<String, Long> rows(CollectionManifest manifest) throws IOException {
        String lance = paths.lance();
        Map<String, Long> rows = new TreeMap<>();
        Map<String, String> documents = new TreeMap<>();
        try (FakeRows store = new FakeRows(memory, lance.substring(0, lance.length() - 1));
                RowCursor cursor =
                        store.open(
                                        manifest.lanceVersion(),
                                        metastore.collection(paths.collection()).schema())
                                .scan(Projection.ALL, 0, 1)) {
            for (StoredRow row = cursor.next(); row != null; row = cursor.next()) {
                String key = row.key().toString();
                require(rows.put(key, row.rowId()) == null, "two rows of key " + key);
                require(row.rowId() < manifest.rowIdHighWater(), "row above the high water");
                documents.put(key, new String(row.source(), StandardCharsets.UTF_8));
            }
        }
        require(
                documents.equals(model.documents()),
                "version "
                        + manifest.version()
                        + " holds "
                        + documents
                        + ", but the log folds to "
                        + model.documents());
        require(manifest.liveDocCount() == rows.size(), "live count of " + manifest.version());
        return rows;
    }

    private void requireSplits(CollectionManifest manifest, Map<String, Long> rows)
            throws IOException {
        Set<Long> documents = new TreeSet<>();
        for (SplitRef split : manifest.splits()) {
            RoaringBitmap deleted = DeletedDocs.load(memory, split);
            int doc = 0;
            for (RowIdRange range : split.ranges()) {
                for (long row = range.start(); row != range.end(); row++) {
                    if (!deleted.contains(doc++)) {
                        require(documents.add(row), "row " + row + " is in two splits");
                    }
                }
            }
        }
        require(
                documents.equals(new TreeSet<>(rows.values())),
                "version " + manifest.version() + ": splits and rows differ");
    }

    private void requireDelta(CollectionManifest manifest, Map<String, Long> rows)
            throws IOException {
        Map<String, Long> expected =
                chain.isEmpty()
                        ? new TreeMap<>()
                        : new TreeMap<>(chain.get(chain.size() - 1).rows());
        if (!manifest.pkDelta().isEmpty()) {
            PkDelta delta = PkDeltaCodec.decode(memory.get(manifest.pkDelta()), manifest.pkDelta());
            for (PkDelta.Entry entry : delta.entries()) {
                if (entry.rowId() == null) {
                    expected.remove(entry.key().toString());
                } else {
                    expected.put(entry.key().toString(), entry.rowId());
                }
            }
        }
        require(rows.equals(expected), "version " + manifest.version() + ": wrong key delta");
    }

    private Set<String> needs(String path, CollectionManifest manifest) throws IOException {
        Set<String> needs = new TreeSet<>(ManifestFiles.referenced(paths, manifest));
        needs.add(path);
        if (manifest.lanceVersion() != 0) {
            String version = paths.lanceVersion(manifest.lanceVersion());
            LanceManifest.parse(memory.get(version), version)
                    .files()
                    .forEach(file -> needs.add(paths.lance() + file));
        }
        return needs;
    }

    /** Called after an object was deleted. */
    void deleted(String path) {
        for (Published version : retained()) {
            require(
                    !version.needs().contains(path),
                    path + " is deleted, but retained " + version.path() + " needs it");
        }
        for (Tag tag : standing()) {
            require(
                    !chain.get((int) tag.version() - 1).needs().contains(path),
                    path
                            + " is deleted, but tag "
                            + tag.name()
                            + " of "
                            + tag.path()
                            + " needs it");
        }
    }

    private List<Tag> standing() {
        try {
            return metastore.tags(paths.collection()).stream()
                    .filter(tag -> !tag.isExpired(scheduler.nowMs()))
                    .toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Whether a tag that stands needs an object. */
    boolean isTagged(String path) {
        return standing().stream()
                .anyMatch(tag -> chain.get((int) tag.version() - 1).needs().contains(path));
    }

    /** Whether a retained version is that very commit. */
    boolean isRetained(String commitId) {
        return retained().stream()
                .anyMatch(
                        version ->
                                version.manifest().kind() == CommitKind.LINK_APPLY
                                        && commitId.equals(
                                                version.manifest()
                                                        .properties()
                                                        .get(ManifestProperties.COMMIT_ID)));
    }

    private List<Published> retained() {
        for (int i = chain.size() - 1; i > 0; i--) {
            int distance = chain.size() - i;
            long supersededMs = chain.get(i).manifest().createdAtMs();
            if (distance > retention.keepManifests()
                    && supersededMs + retention.retentionMs() <= scheduler.nowMs()) {
                return chain.subList(i, chain.size());
            }
        }
        return chain;
    }
}
