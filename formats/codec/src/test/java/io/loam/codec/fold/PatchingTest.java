package io.loam.codec.fold;

import io.loam.codec.json.Json;
import io.loam.codec.json.JsonValue;
import io.loam.codec.json.JsonValue.JsonInteger;
import io.loam.codec.json.JsonValue.JsonObject;
import io.loam.codec.key.PrimaryKey;
import io.loam.codec.record.Document;
import io.loam.codec.record.Operation.Patch;
import io.loam.codec.record.Operation.PatchMode;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import static org.assertj.core.api.Assertions.assertThat;

class PatchingTest {
    private static final PrimaryKey KEY = PrimaryKey.ofU64(1);

    @Test
    void deleteKeysReachMembersInAnyOrder() {
        String source = "{\"a\":{\"b\":1,\"c\":{\"d\":2}},\"e\":[{\"f\":3}],\"g.h\":4,\"i\":5}";
        assertThat(without(source, "a.b", "a.c.d", "i"))
                .isEqualTo("{\"a\":{\"c\":{}},\"e\":[{\"f\":3}],\"g.h\":4}");
        assertThat(without(source, "a.b", "a", "a.c")).isEqualTo(without(source, "a"));
        assertThat(without(source, "a.x", "g.h", "e.f", "a.b.c", "")).isEqualTo(source);
    }

    private static String without(String source, String... paths) {
        JsonObject object = Json.parseObject(source.getBytes(StandardCharsets.UTF_8));
        return Json.text(deleted(object, List.of(paths)).source());
    }

    private static Document deleted(JsonObject source, List<String> paths) {
        Patch patch =
                new Patch(
                        KEY,
                        PatchMode.MERGE_DEEP,
                        JsonObject.EMPTY,
                        paths,
                        Map.of(),
                        Map.of(),
                        null);
        return Patching.apply(new Document(KEY, source, Map.of(), Map.of()), patch);
    }

    /** Both fit a record, and one copy of the object for each path would take hours. */
    @Test
    @Timeout(600)
    void manyDeleteKeysOnManyMembersTakeNoLongerThanBoth() {
        Map<String, JsonValue> inner = new LinkedHashMap<>();
        List<String> paths = new ArrayList<>();
        for (int i = 0; i < 400_000; i++) {
            inner.put("k" + i, JsonInteger.of(i));
            paths.add("k" + i);
            paths.add("deep.k" + i);
            paths.add("deep.none" + i);
        }
        Map<String, JsonValue> outer = new LinkedHashMap<>(inner);
        outer.put("deep", new JsonObject(inner));
        assertThat(Json.text(deleted(new JsonObject(outer), paths).source()))
                .isEqualTo("{\"deep\":{}}");
    }

    @Test
    void aPathOfDotsIsNoGreatWork() {
        JsonObject source = Json.parseObject("{\"\":{\"\":{}}}".getBytes(StandardCharsets.UTF_8));
        assertThat(deleted(source, List.of(".".repeat(1 << 20))).source()).isEqualTo(source);
    }
}
