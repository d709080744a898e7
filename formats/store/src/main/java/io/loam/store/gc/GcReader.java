package io.loam.store.gc;

import io.loam.codec.CorruptException;
import io.loam.codec.Ulid;
import io.loam.codec.lance.LanceChecksum;
import io.loam.codec.lance.LanceManifest;
import io.loam.codec.manifest.CollectionManifest;
import io.loam.codec.manifest.CollectionPaths;
import io.loam.codec.manifest.ManifestCodec;
import io.loam.codec.manifest.ManifestFiles;
import io.loam.codec.manifest.ManifestProperties;
import io.loam.codec.manifest.ObjectShape;
import io.loam.codec.staged.UnitDescriptor;
import io.loam.codec.staged.UnitDescriptorCodec;
import io.loam.store.CollectionHandle;
import io.loam.store.chain.ManifestChain;
import io.loam.store.chain.ManifestChain.Link;
import io.loam.store.metastore.RetiredPath;
import io.loam.store.metastore.Tag;
import io.loam.store.object.ObjectInfo;
import io.loam.store.object.ObjectNotFoundException;
import io.loam.store.object.ObjectStore;
import io.loam.store.object.ParallelIo;
import io.loam.store.tag.Tags;

import javax.annotation.Nullable;

import java.io.IOException;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/**
 * Reads what planning needs, in the one order that is safe:
 *
 * <pre>
 * 1  every object below the root: the candidates
 * 2  the metastore's clock
 * 3  unit descriptors
 * 4  the pointer, and the retained chain by that clock
 * 5  tags, while the floor of tagging is raised to the oldest retained version
 * 6  the other listed manifests
 * </pre>
 *
 * <p>Tags come after the chain: a tag that is not there at step 5 can only be made of a version
 * that step 4 found retained.
 *
 * <p>A writer announces a unit before it uploads it, so the descriptor of every candidate is there
 * at step 3. What is announced later is no candidate; what is published later was announced, or is
 * younger than the grace, as no commit may take as long as that.
 */
final class GcReader {
    private final CollectionHandle handle;
    private final CollectionPaths paths;
    private final ObjectStore objects;
    private final ParallelIo reads;
    private final GcOptions options;
    private final References retained = new References();
    private final References tagged = new References();
    private final Set<Ulid> publishedUnits = new HashSet<>();
    private final References listed = new References();
    private final References superseded = new References();
    private final References released = new References();

    /** The oldest retained version, if an erasure asks and it releases what was before; else 0. */
    private long releasing;

    private final Map<String, String> taggedParents = new HashMap<>();
    private final References mainline = new References();
    private final References retired = new References();

    GcReader(CollectionHandle handle, ParallelIo reads, GcOptions options) {
        this.handle = handle;
        this.paths = handle.paths();
        this.objects = handle.objects();
        this.reads = reads;
        this.options = options;
    }

    /**
     * Reads.
     *
     * @param release whether what is not kept is going to be deleted
     * @param ofErasure whether it matters what an erasure released
     */
    GcSnapshot read(boolean release, boolean ofErasure) throws IOException {
        List<ObjectInfo> listing = objects.list(paths.root());
        long clockMs = handle.metastore().clockMs();
        for (RetiredPath path : handle.metastore().retiredPaths()) {
            retired.add(path.path());
        }
        Map<String, UnitDescriptor> descriptors = new TreeMap<>();
        String damage = null;
        try {
            readDescriptors(descriptors);
            List<Link> chain = readRetained(options.horizonMs(clockMs));
            Set<String> roots = new HashSet<>();
            chain.forEach(link -> roots.add(link.path()));
            String before = "";
            if (!chain.isEmpty()) {
                Link oldest = chain.get(chain.size() - 1);
                before = oldest.manifest().parentManifest();
                releasing =
                        ofErasure && ManifestChain.releasesHistory(oldest.manifest())
                                ? oldest.version()
                                : 0;
                roots.addAll(readTagged(tags(oldest.version(), release, clockMs), roots));
            }
            readOthers(listing, roots, before);
            addUnits(descriptors.values());
            readMainline(listing);
        } catch (CorruptException | ObjectNotFoundException e) {
            damage = e.getMessage();
        }
        return new GcSnapshot(
                paths,
                listing,
                clockMs,
                descriptors,
                retained,
                tagged,
                publishedUnits,
                listed,
                released,
                mainline,
                retired,
                damage);
    }

    private void readDescriptors(Map<String, UnitDescriptor> descriptors) throws IOException {
        List<String> found = ofShape(objects.list(paths.staged()), ObjectShape.STAGED_DESCRIPTOR);
        List<UnitDescriptor> decoded = reads.map(found, this::descriptor);
        for (int i = 0; i < found.size(); i++) {
            if (decoded.get(i) != null) {
                descriptors.put(found.get(i), decoded.get(i));
            }
        }
    }

    @Nullable
    private UnitDescriptor descriptor(String path) throws IOException {
        byte[] bytes = ifThere(path);
        return bytes == null ? null : UnitDescriptorCodec.decode(bytes, path);
    }

    /** Returns the retained manifests, newest first. */
    private List<Link> readRetained(long horizonMs) throws IOException {
        List<Link> chain =
                new ManifestChain(objects, handle.live(), options.retention(), horizonMs)
                        .retained();
        Set<RowVersion> versions = new LinkedHashSet<>();
        for (Link link : chain) {
            retained.add(link.path());
            addNamed(retained, versions, link.manifest());
            addRowlessUnits(link.manifest());
        }
        for (LanceManifest version : reads.map(List.copyOf(versions), this::lanceVersion)) {
            addFiles(retained, version);
        }
        return chain;
    }

    private List<Tag> tags(long oldest, boolean release, long clockMs) throws IOException {
        long id = handle.info().id();
        List<Tag> tags =
                release
                        ? handle.metastore().releaseVersions(id, oldest)
                        : handle.metastore().tags(id);
        return tags.stream().filter(tag -> !tag.isExpired(options.horizonMs(clockMs))).toList();
    }

    /** Returns the paths of tagged manifests. */
    private Set<String> readTagged(List<Tag> tags, Set<String> chain) throws IOException {
        Map<String, Tag> others = new TreeMap<>();
        for (Tag tag : tags) {
            if (!chain.contains(tag.path())) {
                others.put(tag.path(), tag);
            }
        }
        List<Tag> standing = List.copyOf(others.values());
        List<CollectionManifest> manifests = reads.map(standing, this::taggedManifest);
        Map<RowVersion, Tag> versions = new LinkedHashMap<>();
        for (int i = 0; i < standing.size(); i++) {
            CollectionManifest manifest = manifests.get(i);
            if (manifest != null) {
                Set<RowVersion> named = new LinkedHashSet<>();
                addNamed(tagged, named, manifest);
                addRowlessUnits(manifest);
                Tag tag = standing.get(i);
                taggedParents.put(tag.path(), manifest.parentManifest());
                named.forEach(version -> versions.put(version, tag));
            }
        }
        tagged.addAll(others.keySet());
        for (LanceManifest version :
                reads.map(List.copyOf(versions.entrySet()), this::taggedVersion)) {
            if (version != null) {
                addFiles(tagged, version);
            }
        }
        return others.keySet();
    }

    @Nullable
    private CollectionManifest taggedManifest(Tag tag) throws IOException {
        try {
            return new Tags(handle).open(tag);
        } catch (CorruptException e) {
            requireEnded(tag, e);
            return null;
        }
    }

    @Nullable
    private LanceManifest taggedVersion(Map.Entry<RowVersion, Tag> version) throws IOException {
        try {
            return lanceVersion(version.getKey());
        } catch (ObjectNotFoundException e) {
            requireEnded(version.getValue(), e);
            return null;
        }
    }

    /**
     * What a tag names may be gone if the tag ended since it was read, and another collector, who
     * held the lease later, came first.
     */
    private <E extends Exception> void requireEnded(Tag tag, E failure) throws IOException, E {
        long horizonMs = options.horizonMs(handle.metastore().clockMs());
        boolean stands =
                handle.metastore().tags(handle.info().id()).stream()
                        .anyMatch(
                                now -> now.path().equals(tag.path()) && !now.isExpired(horizonMs));
        if (stands) {
            throw failure;
        }
    }

    private void addRowlessUnits(CollectionManifest manifest) {
        String units = manifest.properties().get(ManifestProperties.ROWLESS_UNITS);
        if (units != null) {
            for (String unit : units.split(",")) {
                publishedUnits.add(Ulid.parse(unit));
            }
        }
    }

    /**
     * Manifests that lost their swap or are neither retained nor tagged. Such a one may have been
     * put long after its commit began, when what it names was gone already.
     *
     * <p>Those that were live once, which the chain goes on to, have published their units as well
     * as retained ones. Nothing else tells it of a unit whose files were merged and compacted away
     * between two passes.
     *
     * @param before path of the newest that was live and is not retained; empty for none
     */
    private void readOthers(List<ObjectInfo> listing, Set<String> roots, String before)
            throws IOException {
        List<String> others =
                ofShape(listing, ObjectShape.MANIFEST).stream()
                        .filter(path -> !roots.contains(path))
                        .toList();
        List<CollectionManifest> manifests = reads.map(others, this::manifest);
        Map<String, CollectionManifest> found = new HashMap<>();
        for (int i = 0; i < others.size(); i++) {
            if (manifests.get(i) != null) {
                found.put(others.get(i), manifests.get(i));
            }
        }
        readReleased(found);
        Set<RowVersion> once = new LinkedHashSet<>();
        String path = before;
        while (found.containsKey(path) || taggedParents.containsKey(path)) {
            CollectionManifest manifest = found.remove(path);
            if (manifest == null) {
                path = taggedParents.get(path);
            } else {
                addRowlessUnits(manifest);
                addNamed(superseded, once, manifest);
                path = manifest.parentManifest();
            }
        }
        addFiles(superseded, once);
        Set<RowVersion> versions = new LinkedHashSet<>();
        found.values().forEach(never -> addNamed(listed, versions, never));
        versions.removeAll(once);
        addFiles(listed, versions);
        listed.addAll(superseded);
    }

    private void addFiles(References into, Set<RowVersion> versions) throws IOException {
        for (LanceManifest version : reads.map(List.copyOf(versions), this::lanceVersionIfThere)) {
            if (version != null) {
                addFiles(into, version);
            }
        }
    }

    /**
     * What an erasure released: a manifest of the releasing version or an earlier one that is not
     * retained was published before it, or will never be.
     */
    private void readReleased(Map<String, CollectionManifest> others) throws IOException {
        Set<RowVersion> versions = new LinkedHashSet<>();
        others.forEach(
                (path, manifest) -> {
                    if (manifest.version() <= releasing) {
                        released.add(path);
                        addNamed(released, versions, manifest);
                    }
                });
        addFiles(released, versions);
    }

    private void addUnits(Collection<UnitDescriptor> descriptors) {
        for (UnitDescriptor descriptor : descriptors) {
            if (descriptor.paths().stream().anyMatch(superseded::holds)) {
                publishedUnits.add(descriptor.unit());
            }
        }
    }

    @Nullable
    private CollectionManifest manifest(String path) throws IOException {
        byte[] bytes = ifThere(path);
        return bytes == null ? null : ManifestCodec.decode(bytes, path);
    }

    private void readMainline(List<ObjectInfo> listing) throws IOException {
        for (String path : ofShape(listing, ObjectShape.LANCE_MAINLINE)) {
            addFiles(mainline, LanceManifest.parse(objects.get(path), path));
        }
    }

    private void addNamed(References into, Set<RowVersion> versions, CollectionManifest manifest) {
        into.addAll(ManifestFiles.referenced(paths, manifest));
        if (manifest.lanceVersion() != 0) {
            versions.add(
                    new RowVersion(
                            manifest.lanceVersion(),
                            manifest.properties().get(ManifestProperties.ROW_VERSION)));
        }
    }

    private void addFiles(References into, LanceManifest version) {
        version.files().forEach(file -> into.add(paths.lance() + file));
    }

    private LanceManifest lanceVersion(RowVersion version) throws IOException {
        String path = paths.lanceVersion(version.id());
        return version.parse(objects.get(path), path);
    }

    @Nullable
    private LanceManifest lanceVersionIfThere(RowVersion version) throws IOException {
        String path = paths.lanceVersion(version.id());
        byte[] bytes = ifThere(path);
        return bytes == null ? null : version.parse(bytes, path);
    }

    /** A row version as a manifest names it; a damaged one could name other files. */
    private record RowVersion(long id, @Nullable String checksum) {
        LanceManifest parse(byte[] bytes, String path) {
            LanceChecksum.check(checksum, id, bytes, path);
            return LanceManifest.parse(bytes, path);
        }
    }

    @Nullable
    private byte[] ifThere(String path) throws IOException {
        try {
            return objects.get(path);
        } catch (ObjectNotFoundException e) {
            return null; // deleted since it was listed
        }
    }

    private List<String> ofShape(List<ObjectInfo> listing, ObjectShape shape) {
        return listing.stream()
                .map(ObjectInfo::path)
                .filter(path -> ObjectShape.of(paths, path) == shape)
                .toList();
    }
}
