package io.loam.store.scan;

import io.loam.codec.CorruptException;
import io.loam.codec.lance.LanceChecksum;
import io.loam.codec.lance.LanceFragment;
import io.loam.codec.lance.LanceManifest;
import io.loam.codec.manifest.CollectionManifest;
import io.loam.codec.manifest.CollectionPaths;
import io.loam.codec.manifest.ManifestProperties;
import io.loam.codec.record.ConsistencyToken;
import io.loam.codec.schema.CollectionSchema;
import io.loam.codec.schema.CollectionSchema.Vector;
import io.loam.codec.schema.VectorColumns;
import io.loam.store.CollectionHandle;
import io.loam.store.LiveManifest;
import io.loam.store.chain.ManifestChain;
import io.loam.store.chain.ManifestChain.Link;
import io.loam.store.chain.Retention;
import io.loam.store.metastore.Tag;
import io.loam.store.scan.ScanPlan.Column;
import io.loam.store.scan.ScanPlan.Dataset;
import io.loam.store.scan.ScanPlan.Fragment;
import io.loam.store.scan.ScanPlan.Role;
import io.loam.store.tag.TagTarget;
import io.loam.store.tag.Tags;
import io.loam.store.tag.TokenWait;

import javax.annotation.Nullable;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Plans scans by readers without Loam. */
public final class ScanPlanner {
    /** How long a plan at a token waits for a version that covers it. */
    public static final Duration TOKEN_WAIT = Duration.ofSeconds(10);

    private static final String MAINLINE_FORMAT = "2.1";

    private final CollectionHandle handle;
    private final @Nullable Map<Integer, Long> ends;
    private final TokenWait tokens;

    /**
     * @param ends per partition, the first offset that is not in the stream; null if unknown
     */
    public ScanPlanner(CollectionHandle handle, @Nullable Map<Integer, Long> ends) {
        this(handle, ends, new TokenWait(handle, TOKEN_WAIT));
    }

    ScanPlanner(CollectionHandle handle, @Nullable Map<Integer, Long> ends, TokenWait tokens) {
        this.handle = handle;
        this.ends = ends;
        this.tokens = tokens;
    }

    /**
     * A plan of the live version, a retained one or the one that covers a token. It can be relied
     * upon until the version has been superseded for the default retention, if garbage is collected
     * by that.
     *
     * @throws io.loam.store.chain.SnapshotExpiredException if the version is not retained
     * @throws io.loam.store.tag.TokenNotCoveredException if no version covers the token in time
     */
    public ScanPlan plan(TagTarget at) throws IOException {
        if (at instanceof TagTarget.Version version) {
            return retained(version.version());
        }
        LiveManifest live =
                at instanceof TagTarget.Token token ? tokens.await(token.token()) : handle.live();
        long now = handle.metastore().clockMs();
        return plan(live.manifest(), null, now, liveUntil(live.version(), now));
    }

    @Nullable
    private static Long liveUntil(long version, long now) {
        return version == 0 ? null : Long.valueOf(now + Retention.DEFAULT.retentionMs());
    }

    private ScanPlan retained(long version) throws IOException {
        ManifestChain chain = ManifestChain.of(handle);
        CollectionManifest wanted = chain.open(version);
        long now = handle.metastore().clockMs();
        if (version == chain.live().version()) {
            return plan(wanted, null, now, liveUntil(version, now));
        }
        ManifestChain.Walk walk = chain.walk();
        Link child = null;
        for (Link link = walk.next(); link != null; link = walk.next()) {
            if (link.version() == version && child != null) {
                long superseded = child.manifest().createdAtMs();
                return plan(wanted, null, now, superseded + Retention.DEFAULT.retentionMs());
            }
            child = link;
        }
        throw new CorruptException("version " + version + " was on the chain and is not any more");
    }

    /**
     * A plan of a tagged version, which can be relied upon until the tag ends, unless it is deleted
     * before that.
     *
     * @throws io.loam.store.metastore.MetastoreException TAG_NOT_FOUND
     */
    public ScanPlan planTagged(String name) throws IOException {
        Tags tags = new Tags(handle);
        Tag tag = tags.require(name);
        CollectionManifest manifest = tags.open(tag);
        return plan(manifest, name, handle.metastore().clockMs(), tag.expiresAtMs());
    }

    private ScanPlan plan(
            CollectionManifest manifest,
            @Nullable String tag,
            long plannedAtMs,
            @Nullable Long expiresAtMs)
            throws IOException {
        LanceManifest version = manifest.lanceVersion() == 0 ? null : lance(manifest);
        List<Fragment> fragments = version == null ? List.of() : fragments(version);
        long live = fragments.stream().mapToLong(planned -> planned.fragment().liveRows()).sum();
        if (live != manifest.liveDocCount()) {
            throw new CorruptException(
                    "version "
                            + manifest.version()
                            + " of collection "
                            + manifest.collectionId()
                            + " has "
                            + manifest.liveDocCount()
                            + " documents, its fragments "
                            + live
                            + " rows");
        }
        return new ScanPlan(
                handle.info().namespace(),
                handle.info().name(),
                handle.info().id(),
                manifest.version(),
                handle.schema().version(),
                version == null ? null : dataset(manifest.lanceVersion(), version),
                fragments,
                live,
                version == null ? List.of() : columns(version),
                manifest.applied(),
                ends,
                applies(manifest),
                tag,
                plannedAtMs,
                expiresAtMs);
    }

    private LanceManifest lance(CollectionManifest manifest) throws IOException {
        String path = handle.paths().lanceVersion(manifest.lanceVersion());
        byte[] bytes = handle.objects().get(path);
        LanceChecksum.check(
                manifest.properties().get(ManifestProperties.ROW_VERSION),
                manifest.lanceVersion(),
                bytes,
                path);
        return LanceManifest.parse(bytes, path);
    }

    private Dataset dataset(long id, LanceManifest version) {
        String root = handle.paths().lance();
        return new Dataset(
                handle.objects().uri(root.substring(0, root.length() - 1)),
                id,
                CollectionPaths.lanceVersionFile(id),
                version.storageFormat().orElse(MAINLINE_FORMAT));
    }

    private static List<Fragment> fragments(LanceManifest version) {
        List<LanceFragment> fragments = version.fragments();
        List<byte[]> messages = version.fragmentMessages();
        List<Fragment> planned = new ArrayList<>();
        for (int i = 0; i < fragments.size(); i++) {
            if (fragments.get(i).liveRows() > 0) {
                planned.add(new Fragment(fragments.get(i), messages.get(i)));
            }
        }
        return planned;
    }

    /** The columns the version has; vectors of the schema that it lacks are absent everywhere. */
    private List<Column> columns(LanceManifest version) {
        CollectionSchema schema = handle.schema();
        Set<String> present = new HashSet<>(version.columns());
        List<Column> columns = new ArrayList<>();
        columns.add(new Column("_pk", Role.PK, null, 0));
        columns.add(new Column("_source", Role.SOURCE, null, 0));
        columns.add(new Column("_ingest_partition", Role.SYSTEM, null, 0));
        columns.add(new Column("_ingest_offset", Role.SYSTEM, null, 0));
        for (int i = 0; i < schema.vectors().size(); i++) {
            Vector vector = schema.vectors().get(i);
            columns.add(
                    new Column(VectorColumns.dense(i), Role.VECTOR, vector.name(), vector.dim()));
        }
        for (int j = 0; j < schema.sparseVectors().size(); j++) {
            columns.add(
                    new Column(
                            VectorColumns.sparse(j),
                            Role.SPARSE,
                            schema.sparseVectors().get(j).name(),
                            0));
        }
        columns.removeIf(column -> !present.contains(column.name()));
        return columns;
    }

    private static ConsistencyToken applies(CollectionManifest manifest) {
        return new ConsistencyToken(
                        manifest.applied().entrySet().stream()
                                .map(
                                        applied ->
                                                new ConsistencyToken.Item(
                                                        manifest.collectionId(),
                                                        applied.getKey(),
                                                        applied.getValue()))
                                .toList())
                .normalized();
    }
}
