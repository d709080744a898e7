package io.loam.store.scan;

import io.loam.codec.json.JsonValue;
import io.loam.codec.json.JsonValue.JsonArray;
import io.loam.codec.json.JsonValue.JsonBoolean;
import io.loam.codec.json.JsonValue.JsonInteger;
import io.loam.codec.json.JsonValue.JsonObject;
import io.loam.codec.json.JsonValue.JsonString;
import io.loam.codec.lance.LanceFragment;
import io.loam.codec.record.ConsistencyToken;

import javax.annotation.Nullable;

import java.util.ArrayList;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.OptionalLong;
import java.util.TreeMap;
import java.util.function.Function;

/** A scan plan as JSON, its members in the order of the specification. */
final class ScanPlanJson {
    private final ScanPlan plan;

    ScanPlanJson(ScanPlan plan) {
        this.plan = plan;
    }

    JsonObject print() {
        OptionalLong tail = plan.tailRecords();
        return new Members()
                .put("namespace", text(plan.namespace()))
                .put("collection", text(plan.collection()))
                .put("collection_id", number(plan.collectionId()))
                .put("manifest_version", number(plan.manifestVersion()))
                .put("schema_version", number(plan.schemaVersion()))
                .put("lance", plan.dataset() == null ? JsonValue.NULL : dataset(plan.dataset()))
                .put("fragments", array(plan.fragments(), ScanPlanJson::fragment))
                .put("live_rows", number(plan.liveRows()))
                .put("columns", array(plan.columns(), ScanPlanJson::column))
                .put("pk_encoding", text(ScanPlan.KEY_ENCODING))
                .put(
                        "tail",
                        tail.isEmpty() ? JsonValue.NULL : new JsonBoolean(tail.getAsLong() > 0))
                .put("tail_records", tail.isEmpty() ? JsonValue.NULL : number(tail.getAsLong()))
                .put("offsets", array(offsets(), offset -> offset))
                .put("durable_token", durableToken())
                .put(
                        "pin",
                        new Members()
                                .put("manifest_version", number(plan.manifestVersion()))
                                .put("token", text(plan.applies().toString()))
                                .put("tag", textOrNull(plan.tag()))
                                .object())
                .put("planned_at_ms", number(plan.plannedAtMs()))
                .put(
                        "expires_at_ms",
                        plan.expiresAtMs() == null ? JsonValue.NULL : number(plan.expiresAtMs()))
                .object();
    }

    private static JsonValue dataset(ScanPlan.Dataset dataset) {
        return new Members()
                .put("uri", text(dataset.uri()))
                .put("version", number(dataset.version()))
                .put("manifest_path", text(dataset.manifestPath()))
                .put("storage_format", text(dataset.storageFormat()))
                .put("stable_row_ids", new JsonBoolean(true))
                .object();
    }

    private static JsonValue fragment(ScanPlan.Fragment planned) {
        LanceFragment fragment = planned.fragment();
        String deletions = fragment.deletionFile();
        return new Members()
                .put("id", number(fragment.id()))
                .put("physical_rows", number(fragment.physicalRows()))
                .put("deleted_rows", number(fragment.deletedRows()))
                .put("live_rows", number(fragment.liveRows()))
                .put("files", array(fragment.dataFiles(), ScanPlanJson::text))
                .put(
                        "deletion_file",
                        deletions == null
                                ? JsonValue.NULL
                                : new Members()
                                        .put("path", text(deletions))
                                        .put("kind", text(kind(deletions)))
                                        .put("deleted_rows", number(fragment.deletedRows()))
                                        .object())
                .put("lance", text(Base64.getEncoder().encodeToString(planned.message())))
                .object();
    }

    private static String kind(String deletionFile) {
        return deletionFile.endsWith(".bin") ? "bitmap" : "array";
    }

    private static JsonValue column(ScanPlan.Column column) {
        Members members =
                new Members()
                        .put("name", text(column.name()))
                        .put("role", text(column.role().name().toLowerCase(Locale.ROOT)));
        if (column.vector() != null) {
            members.put("vector", text(column.vector()));
        }
        if (column.dimension() > 0) {
            members.put("dim", number(column.dimension()));
        }
        return members.object();
    }

    private List<JsonValue> offsets() {
        List<JsonValue> offsets = new ArrayList<>();
        Map<Integer, Long> partitions = new TreeMap<>(plan.applied());
        if (plan.ends() != null) {
            plan.ends().keySet().forEach(partition -> partitions.putIfAbsent(partition, 0L));
        }
        partitions.forEach(
                (partition, applied) -> {
                    Long end = plan.ends() == null ? null : plan.ends().get(partition);
                    offsets.add(
                            new Members()
                                    .put("partition", number(partition))
                                    .put("applied", number(applied))
                                    .put("target", end == null ? JsonValue.NULL : number(end))
                                    .object());
                });
        return offsets;
    }

    private JsonValue durableToken() {
        return plan.ends() == null
                ? JsonValue.NULL
                : text(
                        new ConsistencyToken(
                                        plan.ends().entrySet().stream()
                                                .map(
                                                        end ->
                                                                new ConsistencyToken.Item(
                                                                        plan.collectionId(),
                                                                        end.getKey(),
                                                                        end.getValue()))
                                                .toList())
                                .normalized()
                                .toString());
    }

    private static JsonValue number(long value) {
        return new JsonInteger(value, value < 0);
    }

    private static JsonValue text(String value) {
        return new JsonString(value);
    }

    private static JsonValue textOrNull(@Nullable String value) {
        return value == null ? JsonValue.NULL : text(value);
    }

    private static <T> JsonValue array(List<T> values, Function<T, JsonValue> print) {
        return new JsonArray(values.stream().map(print).toList());
    }

    /** Members of an object in the order they are put. */
    private static final class Members {
        private final Map<String, JsonValue> members = new LinkedHashMap<>();

        Members put(String name, JsonValue value) {
            members.put(name, value);
            return this;
        }

        JsonObject object() {
            return new JsonObject(members);
        }
    }
}
