package io.loam.store.commit;

import io.loam.codec.manifest.CollectionManifest;
import io.loam.codec.manifest.ManifestProperties;
import io.loam.store.object.ObjectStore.Put;

import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * What a version would be without some of its rows. Nothing is stored, and nothing is published.
 *
 * @param manifest of the same version and parent
 * @param objects that it needs and that are not there yet
 */
public record RowDeletion(CollectionManifest manifest, List<Put> objects) {
    /**
     * @param rowIds of live rows
     * @param startedMs metastore clock
     */
    public static RowDeletion of(
            CollectionManifest version, long[] rowIds, long startedMs, CommitIo io)
            throws IOException {
        LanceChanges rows =
                LanceChanges.of(
                        version, rowIds, List.of(), version.rowIdHighWater(), startedMs, io);
        SplitChanges splits = SplitChanges.of(version, rowIds, List.of(), io);
        List<Put> objects = new ArrayList<>(rows.puts());
        objects.addAll(splits.puts());
        Map<String, String> properties = new HashMap<>(version.properties());
        if (rows.checksum() != null) {
            properties.put(ManifestProperties.ROW_VERSION, rows.checksum());
        }
        return new RowDeletion(
                new CollectionManifest(
                        version.version(),
                        version.parentVersion(),
                        version.collectionId(),
                        version.schemaVersion(),
                        version.createdAtMs(),
                        rows.version(),
                        splits.splits(),
                        version.vectorIndexes(),
                        version.hotArtifacts(),
                        version.applied(),
                        version.liveDocCount() - rowIds.length,
                        version.parentManifest(),
                        version.kind(),
                        version.pkDelta(),
                        version.deadLetters(),
                        version.deadLettersTotal(),
                        version.skippedOffsetsTotal(),
                        version.scalarIndexes(),
                        version.operation(),
                        version.operationPath(),
                        properties,
                        version.rowIdHighWater()),
                objects);
    }
}
