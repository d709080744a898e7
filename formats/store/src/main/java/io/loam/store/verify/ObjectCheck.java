package io.loam.store.verify;

import io.loam.codec.CorruptException;
import io.loam.codec.lance.LanceChecksum;
import io.loam.codec.lance.LanceManifest;
import io.loam.codec.manifest.CollectionManifest;
import io.loam.codec.manifest.ManifestFiles;
import io.loam.codec.manifest.ManifestProperties;
import io.loam.codec.manifest.RowIdRange;
import io.loam.codec.manifest.SplitRef;
import io.loam.store.CollectionHandle;
import io.loam.store.chain.ManifestChain.Link;
import io.loam.store.hot.HotObjects;
import io.loam.store.object.DataFileCheck;
import io.loam.store.object.ObjectInfo;
import io.loam.store.object.ObjectNotFoundException;
import io.loam.store.object.ParallelIo;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * Every object that a retained or tagged manifest names is there, in the size the manifest states;
 * data files have the checksum in their names; hot artifacts are what their descriptors say.
 */
final class ObjectCheck {
    private static final long ANY_SIZE = -1;

    private final CollectionHandle handle;
    private final Findings findings;

    /** Path to expected size. */
    private final Map<String, Long> objects = new TreeMap<>();

    ObjectCheck(CollectionHandle handle, Findings findings) {
        this.handle = handle;
        this.findings = findings;
    }

    void run(List<Link> retained) throws IOException {
        for (Link link : retained) {
            add(link.manifest());
        }
        List<String> paths = new ArrayList<>(objects.keySet());
        try (ParallelIo reads = new ParallelIo("loam-verify")) {
            List<String> found = reads.map(paths, this::check);
            found.stream().filter(problem -> !problem.isEmpty()).forEach(findings::violation);
        }
        findings.count("objects", paths.size());
    }

    private void add(CollectionManifest manifest) throws IOException {
        for (String path : ManifestFiles.referenced(handle.paths(), manifest)) {
            objects.putIfAbsent(path, ANY_SIZE);
        }
        for (SplitRef split : manifest.splits()) {
            objects.put(handle.paths().split(split.ulid()), split.sizeBytes());
        }
        if (manifest.lanceVersion() != 0) {
            addRows(manifest);
        }
    }

    private void addRows(CollectionManifest manifest) throws IOException {
        String path = handle.paths().lanceVersion(manifest.lanceVersion());
        LanceManifest rows;
        try {
            rows = parse(manifest, path);
        } catch (ObjectNotFoundException e) {
            return; // found missing below
        } catch (CorruptException e) {
            findings.violation(e.getMessage());
            return;
        }
        String name = "version " + manifest.version() + ": ";
        findings.requireEqual(
                name + "live rows of its row version", rows.countLive(), manifest.liveDocCount());
        requireNamed(manifest, rows, name);
        long end = endOfRows(manifest);
        if (Long.compareUnsigned(rows.nextRowId(), end) < 0
                || Long.compareUnsigned(manifest.rowIdHighWater(), end) < 0) {
            findings.violation(
                    name
                            + "next row id "
                            + Long.toUnsignedString(rows.nextRowId())
                            + " or high water "
                            + Long.toUnsignedString(manifest.rowIdHighWater())
                            + " is not above row "
                            + Long.toUnsignedString(end - 1));
        }
        rows.files().forEach(file -> objects.putIfAbsent(handle.paths().lance() + file, ANY_SIZE));
    }

    private void requireNamed(CollectionManifest manifest, LanceManifest rows, String name) {
        Set<String> named = new TreeSet<>();
        manifest.vectorIndexes().forEach(index -> named.add(index.uuid()));
        manifest.scalarIndexes().forEach(index -> named.add(index.uuid()));
        Set<String> there = new TreeSet<>();
        rows.indexIds().forEach(id -> there.add(id.toString()));
        if (!named.equals(there)) {
            findings.violation(
                    name
                            + "names the index segments "
                            + named
                            + ", but its row version has "
                            + there);
        }
    }

    private LanceManifest parse(CollectionManifest manifest, String path) throws IOException {
        byte[] file = handle.objects().get(path);
        LanceChecksum.check(
                manifest.properties().get(ManifestProperties.ROW_VERSION),
                manifest.lanceVersion(),
                file,
                path);
        return LanceManifest.parse(file, path);
    }

    /**
     * Above every row of the version. The high water itself may be above the next row id: rows that
     * were superseded within their checkpoint raise it without a new row version.
     */
    private static long endOfRows(CollectionManifest manifest) {
        return manifest.splits().stream()
                .flatMap(split -> split.ranges().stream())
                .map(RowIdRange::end)
                .max(Long::compareUnsigned)
                .orElse(0L);
    }

    /** What is wrong with an object, or nothing. A path that ends with a slash is a prefix. */
    private String check(String path) throws IOException {
        if (path.endsWith("/") && path.startsWith(handle.paths().hot())) {
            return String.join("; ", new HotObjects(handle.objects(), path).damage());
        }
        if (path.endsWith("/")) {
            return handle.objects().list(path).isEmpty() ? path + ": holds no object" : "";
        }
        long size = objects.get(path);
        Optional<ObjectInfo> info = handle.objects().stat(path);
        if (info.isEmpty()) {
            return path + ": is gone";
        }
        if (size != ANY_SIZE && size != info.get().size()) {
            return path + ": has " + info.get().size() + " bytes, expected " + size;
        }
        try {
            DataFileCheck.check(handle.objects(), path);
            return "";
        } catch (CorruptException e) {
            return e.getMessage();
        }
    }
}
