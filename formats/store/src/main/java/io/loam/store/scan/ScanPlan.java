package io.loam.store.scan;

import io.loam.codec.json.JsonValue.JsonObject;
import io.loam.codec.lance.LanceFragment;
import io.loam.codec.record.ConsistencyToken;

import javax.annotation.Nullable;

import java.util.List;
import java.util.Map;
import java.util.OptionalLong;

/**
 * All an outside reader needs to read one version with Lance alone; {@link #json} is what it gets.
 *
 * @param schemaVersion of the collection's schema as it is now
 * @param dataset null before the first dataset
 * @param fragments with live rows, in storage order
 * @param columns that the dataset has
 * @param applied per partition, the first offset that is not in the version
 * @param ends per partition, the first offset that is not in the stream; null if nobody looked
 * @param applies the consistency token the version covers
 * @param tag null unless it was asked for by tag
 * @param plannedAtMs metastore clock
 * @param expiresAtMs until then nothing the plan names is deleted; null if that does not end
 */
public record ScanPlan(
        String namespace,
        String collection,
        long collectionId,
        long manifestVersion,
        long schemaVersion,
        @Nullable Dataset dataset,
        List<Fragment> fragments,
        long liveRows,
        List<Column> columns,
        Map<Integer, Long> applied,
        @Nullable Map<Integer, Long> ends,
        ConsistencyToken applies,
        @Nullable String tag,
        long plannedAtMs,
        @Nullable Long expiresAtMs) {

    /** How values of the key column are written. */
    public static final String KEY_ENCODING = "loams_canonical_v1";

    /**
     * The dataset.
     *
     * @param uri of the dataset
     * @param version to open it at; unsigned
     * @param manifestPath of the version, below the dataset
     * @param storageFormat of the data files, such as 2.1
     */
    public record Dataset(String uri, long version, String manifestPath, String storageFormat) {}

    /**
     * A fragment.
     *
     * @param message as it stands in Lance's own manifest
     */
    public record Fragment(LanceFragment fragment, byte[] message) {}

    /** What a column holds. */
    public enum Role {
        PK,
        SOURCE,
        SYSTEM,
        VECTOR,
        SPARSE
    }

    /**
     * A column.
     *
     * @param vector name of the vector in the collection's schema; null for other columns
     * @param dimension of a dense vector, else 0
     */
    public record Column(String name, Role role, @Nullable String vector, int dimension) {}

    public ScanPlan {
        fragments = List.copyOf(fragments);
        columns = List.copyOf(columns);
        applied = Map.copyOf(applied);
        ends = ends == null ? null : Map.copyOf(ends);
    }

    /** Records of the stream that the version does not hold; empty if nobody looked. */
    public OptionalLong tailRecords() {
        return ends == null
                ? OptionalLong.empty()
                : OptionalLong.of(
                        ends.entrySet().stream()
                                .mapToLong(
                                        end ->
                                                Math.max(
                                                        0,
                                                        end.getValue()
                                                                - applied.getOrDefault(
                                                                        end.getKey(), 0L)))
                                .sum());
    }

    /** The plan as readers get it. */
    public JsonObject json() {
        return new ScanPlanJson(this).print();
    }
}
