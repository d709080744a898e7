package io.loam.jobs.maintain;

import io.loam.codec.lance.LanceFragment;
import io.loam.codec.lance.LanceManifest;
import io.loam.codec.manifest.CollectionManifest;
import io.loam.codec.manifest.ObjectShape;
import io.loam.codec.manifest.SplitRef;
import io.loam.store.CollectionHandle;
import io.loam.store.LiveManifest;
import io.loam.store.object.ObjectInfo;

import java.io.IOException;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

/** The largest sizes that were seen in a stretch of commits. */
final class HistorySizes {
    /** What is measured, in the order of the columns. */
    enum Size {
        DOCUMENTS("live documents"),
        MANIFEST_BYTES("manifest, B"),
        ROW_VERSION_BYTES("row version, B"),
        SPLITS("splits"),
        RANGES("ranges"),
        BITMAPS("bitmaps"),
        FRAGMENTS("fragments"),
        DELETION_FILES("deletion files"),
        SEGMENTS("index segments"),
        VERSIONS("manifests there"),
        OBJECTS("objects"),
        BYTES("bytes");

        final String title;

        Size(String title) {
            this.title = title;
        }
    }

    private final Map<Size, Long> peaks = new EnumMap<>(Size.class);
    private final List<Long> commitNanos = new ArrayList<>();

    /** The largest of several stretches. */
    static HistorySizes of(List<HistorySizes> stretches) {
        HistorySizes all = new HistorySizes();
        stretches.forEach(one -> one.peaks.forEach(all::peak));
        return all;
    }

    void committed(long nanos) {
        commitNanos.add(nanos);
    }

    /** Sizes of the live version. */
    void observeVersion(CollectionHandle handle) throws IOException {
        LiveManifest live = handle.live();
        CollectionManifest manifest = live.manifest();
        List<SplitRef> splits = manifest.splits();
        peak(Size.DOCUMENTS, manifest.liveDocCount());
        peak(Size.MANIFEST_BYTES, handle.objects().stat(live.path()).orElseThrow().size());
        peak(Size.SPLITS, splits.size());
        peak(Size.RANGES, splits.stream().mapToLong(split -> split.ranges().size()).sum());
        peak(Size.BITMAPS, splits.stream().filter(split -> split.deletedCount() > 0).count());
        LanceManifest rows = handle.rowVersions().read(manifest);
        String path = handle.paths().lanceVersion(manifest.lanceVersion());
        peak(Size.ROW_VERSION_BYTES, handle.objects().stat(path).orElseThrow().size());
        List<LanceFragment> fragments = rows.fragments();
        peak(Size.FRAGMENTS, fragments.size());
        peak(Size.DELETION_FILES, fragments.stream().filter(f -> f.deletedRows() > 0).count());
        peak(Size.SEGMENTS, rows.indexSegments().size());
    }

    /** Sizes of the whole warehouse. */
    void observeObjects(CollectionHandle handle) throws IOException {
        List<ObjectInfo> objects = handle.objects().list("");
        peak(Size.OBJECTS, objects.size());
        peak(Size.BYTES, objects.stream().mapToLong(ObjectInfo::size).sum());
        peak(
                Size.VERSIONS,
                objects.stream()
                        .filter(
                                object ->
                                        ObjectShape.of(handle.paths(), object.path())
                                                == ObjectShape.MANIFEST)
                        .count());
    }

    private void peak(Size size, long value) {
        peaks.merge(size, value, Math::max);
    }

    long peak(Size size) {
        return peaks.getOrDefault(size, 0L);
    }

    static String header() {
        StringBuilder line = new StringBuilder("| commits |");
        StringBuilder rule = new StringBuilder("\n|---|");
        for (Size size : Size.values()) {
            line.append(' ').append(size.title).append(" |");
            rule.append("---|");
        }
        return line + " median commit, ms |" + rule + "---|";
    }

    /** A row of the table. */
    String row(int commits) {
        StringBuilder line = new StringBuilder("\n| ").append(commits).append(" |");
        for (Size size : Size.values()) {
            line.append(String.format(" %,d |", peak(size)));
        }
        long[] nanos = commitNanos.stream().mapToLong(Long::longValue).sorted().toArray();
        double median = nanos.length == 0 ? 0 : nanos[nanos.length / 2] / 1e6;
        return line + String.format(" %.0f |", median);
    }
}
