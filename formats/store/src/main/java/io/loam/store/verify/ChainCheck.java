package io.loam.store.verify;

import io.loam.codec.CorruptException;
import io.loam.codec.key.PrimaryKey;
import io.loam.codec.manifest.CollectionManifest;
import io.loam.codec.manifest.FileChecksum;
import io.loam.codec.manifest.ManifestDiff;
import io.loam.codec.manifest.ManifestDiffException;
import io.loam.codec.manifest.ManifestProperties;
import io.loam.codec.manifest.PkDelta;
import io.loam.codec.manifest.PkDeltaCodec;
import io.loam.codec.manifest.UserOperation;
import io.loam.store.CollectionHandle;
import io.loam.store.chain.ManifestChain.Link;
import io.loam.store.history.Operations;
import io.loam.store.repair.IndexRebuild;

import javax.annotation.Nullable;

import java.io.IOException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The retained chain agrees with itself: every recorded operation makes its manifest of its parent,
 * and the PK deltas turn the keys of the oldest retained version into those of the newest.
 */
final class ChainCheck {
    private final CollectionHandle handle;
    private final List<Link> newestFirst;
    private final Findings findings;

    ChainCheck(CollectionHandle handle, List<Link> newestFirst, Findings findings) {
        this.handle = handle;
        this.newestFirst = newestFirst;
        this.findings = findings;
    }

    void operations() throws IOException {
        long checked = 0;
        for (int i = 0; i < newestFirst.size(); i++) {
            Link child = newestFirst.get(i);
            CollectionManifest parent = parentOf(i);
            Optional<UserOperation> recorded =
                    Operations.recorded(handle.objects(), child.manifest(), child.path());
            if (parent != null && recorded.isPresent()) {
                checked++;
                check(parent, recorded.get(), child);
            }
        }
        findings.count("manifests", newestFirst.size());
        findings.count("operations", checked);
    }

    /** The parent if it is known: the next link, or the empty manifest at the root. */
    @Nullable
    private CollectionManifest parentOf(int index) {
        if (index + 1 < newestFirst.size()) {
            return newestFirst.get(index + 1).manifest();
        }
        CollectionManifest child = newestFirst.get(index).manifest();
        return child.parentManifest().isEmpty()
                ? CollectionManifest.empty(child.collectionId())
                : null;
    }

    private void check(CollectionManifest parent, UserOperation operation, Link child) {
        String name = "version " + child.version() + ": its operation ";
        try {
            ManifestDiff.difference(ManifestDiff.apply(parent, operation), child.manifest())
                    .ifPresent(
                            difference ->
                                    findings.violation(
                                            name + "makes another manifest: " + difference));
        } catch (ManifestDiffException e) {
            findings.violation(name + "does not fit its parent: " + e.getMessage());
        }
    }

    /**
     * @param live row of every key of the newest version
     */
    void pkDeltas(Map<PrimaryKey, Long> live) throws IOException {
        if (newestFirst.isEmpty()) {
            return;
        }
        Map<PrimaryKey, Long> index = new HashMap<>();
        CollectionManifest oldest = newestFirst.get(newestFirst.size() - 1).manifest();
        IndexRebuild.scan(handle, oldest, 0, 1, index::put);
        long deltas = 0;
        for (int i = newestFirst.size() - 2; i >= 0; i--) {
            CollectionManifest manifest = newestFirst.get(i).manifest();
            String path = manifest.pkDelta();
            if (!path.isEmpty()) {
                deltas++;
                byte[] object = handle.objects().get(path);
                replay(PkDeltaCodec.decode(object, path), index);
                checkChecksum(manifest, path, object);
            }
        }
        findings.count("PK deltas", deltas);
        compare(index, live);
    }

    private void checkChecksum(CollectionManifest manifest, String path, byte[] object) {
        try {
            FileChecksum.check(manifest.properties(), ManifestProperties.PK_DELTA, path, object);
        } catch (CorruptException e) {
            findings.violation(e.getMessage());
        }
    }

    private static void replay(PkDelta delta, Map<PrimaryKey, Long> index) {
        for (PkDelta.Entry entry : delta.entries()) {
            if (entry.rowId() == null) {
                index.remove(entry.key());
            } else {
                index.put(entry.key(), entry.rowId());
            }
        }
    }

    private void compare(Map<PrimaryKey, Long> index, Map<PrimaryKey, Long> live) {
        index.forEach(
                (key, row) -> {
                    Long found = live.get(key);
                    if (!row.equals(found)) {
                        findings.violation(
                                "key "
                                        + key
                                        + ": PK deltas lead to row "
                                        + Long.toUnsignedString(row)
                                        + ", it has "
                                        + (found == null
                                                ? "none"
                                                : "row " + Long.toUnsignedString(found)));
                    }
                });
        live.forEach(
                (key, row) -> {
                    if (!index.containsKey(key)) {
                        findings.violation(
                                "key "
                                        + key
                                        + ": PK deltas lead to no row, it has row "
                                        + Long.toUnsignedString(row));
                    }
                });
    }
}
