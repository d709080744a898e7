package io.loam.flink.connector.table;

import io.loam.codec.key.InvalidKeyException;
import io.loam.codec.key.KeyNotation;
import io.loam.codec.key.PrimaryKey;
import io.loam.codec.lance.LanceChecksum;
import io.loam.codec.lance.LanceFragment;
import io.loam.codec.lance.LanceManifest;
import io.loam.codec.manifest.CollectionManifest;
import io.loam.codec.manifest.DeadLetter;
import io.loam.codec.manifest.ManifestProperties;
import io.loam.codec.manifest.PkDelta;
import io.loam.codec.manifest.PkDeltaCodec;
import io.loam.codec.manifest.SplitRef;
import io.loam.store.CollectionHandle;
import io.loam.store.chain.ManifestChain;
import io.loam.store.chain.ManifestChain.Link;
import io.loam.store.history.DeadLetters;
import io.loam.store.metastore.Tag;
import io.loam.store.tag.Tags;

import org.apache.flink.table.data.DecimalData;
import org.apache.flink.table.data.GenericArrayData;
import org.apache.flink.table.data.GenericMapData;
import org.apache.flink.table.data.GenericRowData;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.data.StringData;
import org.apache.flink.table.data.TimestampData;

import javax.annotation.Nullable;

import java.io.IOException;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Reads the rows of system tables, as they are now. */
final class SystemRows {
    private static final int UNSIGNED_DIGITS = 20;

    private SystemRows() {}

    /**
     * Rows of a table.
     *
     * @param version to read, of a table that tells of one
     * @throws io.loam.store.chain.SnapshotExpiredException if it is not retained
     */
    static List<RowData> of(SystemTable table, CollectionHandle collection, ReadVersion version)
            throws IOException {
        return switch (table) {
            case MANIFESTS -> manifests(collection);
            case SPLITS -> version.of(collection).splits().stream().map(SystemRows::split).toList();
            case FRAGMENTS -> fragments(collection, version.of(collection));
            case DEAD_LETTERS ->
                    DeadLetters.read(collection).stream().map(SystemRows::deadLetter).toList();
            case PK_DELTAS -> deltas(collection);
            case TAGS -> tags(collection);
            case OPTIONS -> options(collection);
        };
    }

    /** Newest first, as {@code loam manifests} lists them. */
    private static List<RowData> manifests(CollectionHandle collection) throws IOException {
        return ManifestChain.of(collection).retained().stream().map(SystemRows::manifest).toList();
    }

    private static RowData manifest(Link link) {
        CollectionManifest manifest = link.manifest();
        return GenericRowData.of(
                manifest.version(),
                StringData.fromString(link.path()),
                StringData.fromString(manifest.kind().name()),
                TimestampData.fromEpochMillis(manifest.createdAtMs()),
                manifest.liveDocCount(),
                manifest.splits().size(),
                manifest.splits().stream().mapToLong(SplitRef::deletedCount).sum(),
                unsigned(manifest.lanceVersion()),
                new GenericMapData(manifest.applied()),
                manifest.deadLettersTotal(),
                text(manifest.properties().get(ManifestProperties.CHECKPOINT)));
    }

    private static RowData split(SplitRef split) {
        return GenericRowData.of(
                StringData.fromString(split.ulid().toString()),
                split.docCount(),
                split.deletedCount(),
                split.sizeBytes(),
                split.deleteBitmap().isEmpty() ? null : text(split.deleteBitmap()),
                split.schemaVersion(),
                TimestampData.fromEpochMillis(split.createdAtMs()),
                split.mergeOps());
    }

    /** In the order of their numbers, as the row version's manifest lists them. */
    private static List<RowData> fragments(CollectionHandle collection, CollectionManifest manifest)
            throws IOException {
        if (manifest.lanceVersion() == 0) {
            return List.of();
        }
        String path = collection.paths().lanceVersion(manifest.lanceVersion());
        byte[] file = collection.objects().get(path);
        LanceChecksum.check(
                manifest.properties().get(ManifestProperties.ROW_VERSION),
                manifest.lanceVersion(),
                file,
                path);
        LanceManifest rows = LanceManifest.parse(file, path);
        Map<String, Long> sizes = rows.dataFileSizes();
        return rows.fragments().stream().map(fragment -> fragment(fragment, sizes)).toList();
    }

    private static RowData fragment(LanceFragment fragment, Map<String, Long> sizes) {
        List<Long> bytes = fragment.dataFiles().stream().map(sizes::get).toList();
        boolean known = bytes.stream().noneMatch(size -> size == 0);
        return GenericRowData.of(
                fragment.id(),
                fragment.physicalRows(),
                fragment.deletedRows(),
                fragment.liveRows(),
                new GenericArrayData(
                        fragment.dataFiles().stream().map(StringData::fromString).toArray()),
                known ? bytes.stream().mapToLong(Long::longValue).sum() : null,
                text(fragment.deletionFile()));
    }

    private static RowData deadLetter(DeadLetters.Entry entry) {
        DeadLetter letter = entry.letter();
        return GenericRowData.of(
                entry.version(),
                letter.partition(),
                unsigned(letter.offset()),
                key(letter.key()),
                letter.key(),
                letter.value(),
                StringData.fromString(letter.reason()));
    }

    @Nullable
    private static StringData key(@Nullable byte[] canonical) {
        try {
            return canonical == null
                    ? null
                    : text(KeyNotation.print(PrimaryKey.parseCanonical(canonical)));
        } catch (InvalidKeyException e) {
            return null; // which may be why the record is here; its bytes are shown
        }
    }

    /** What each commit did to keys, newest first; one that changed none has no row. */
    private static List<RowData> deltas(CollectionHandle collection) throws IOException {
        List<RowData> rows = new ArrayList<>();
        for (Link link : ManifestChain.of(collection).retained()) {
            String path = link.manifest().pkDelta();
            if (!path.isEmpty()) {
                PkDelta delta = PkDeltaCodec.decode(collection.objects().get(path), path);
                long deleted =
                        delta.entries().stream().filter(entry -> entry.rowId() == null).count();
                rows.add(
                        GenericRowData.of(
                                link.version(),
                                StringData.fromString(path),
                                delta.entries().size() - deleted,
                                deleted));
            }
        }
        return rows;
    }

    /** By name, expired ones too. */
    private static List<RowData> tags(CollectionHandle collection) throws IOException {
        long clockMs = collection.metastore().clockMs();
        return new Tags(collection).list().stream().map(tag -> tag(tag, clockMs)).toList();
    }

    private static RowData tag(Tag tag, long clockMs) {
        return GenericRowData.of(
                StringData.fromString(tag.name()),
                tag.version(),
                TimestampData.fromEpochMillis(tag.createdAtMs()),
                tag.expiresAtMs() == null ? null : TimestampData.fromEpochMillis(tag.expiresAtMs()),
                tag.isExpired(clockMs),
                tag.protect(),
                StringData.fromString(tag.description()));
    }

    private static List<RowData> options(CollectionHandle collection) {
        List<RowData> rows = new ArrayList<>();
        new TreeMap<>(LoamCatalog.table(collection.schema()).getOptions())
                .forEach((name, setting) -> rows.add(GenericRowData.of(text(name), text(setting))));
        return rows;
    }

    private static DecimalData unsigned(long bits) {
        return DecimalData.fromBigDecimal(
                new BigDecimal(Long.toUnsignedString(bits)), UNSIGNED_DIGITS, 0);
    }

    @Nullable
    private static StringData text(@Nullable String text) {
        return text == null ? null : StringData.fromString(text);
    }
}
