package io.loam.codec.schema;

import io.loam.codec.json.Json;
import io.loam.codec.json.JsonValue.JsonObject;
import io.loam.codec.manifest.Golden;
import io.loam.codec.schema.CollectionSchema.Dynamic;
import io.loam.codec.schema.CollectionSchema.Field;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

class DynamicMappingGoldenTest {
    private static final Pattern PLACEHOLDER = Pattern.compile("<[^>]*>");
    private static final Map<String, String> PLACEHOLDERS =
            Map.of("<250 t's>", "t".repeat(250), "<256 k's>", "k".repeat(256));
    private static final Map<String, String> KINDS =
            Map.of(
                    "text(standard,positions)", "text",
                    "keyword", "keyword",
                    "i64", "i64",
                    "f64", "f64",
                    "bool", "bool",
                    "date", "date");

    static List<Golden> cases() {
        return Golden.file("dynamic.json").get("cases").list();
    }

    @ParameterizedTest
    @MethodSource("cases")
    void proposes(Golden golden) {
        CollectionSchema schema =
                GoldenSchemas.of(
                        golden.get("existing").list().stream().map(Golden::text).toList(),
                        Dynamic.MAP,
                        (int) golden.u64("max_fields", CollectionSchema.DEFAULT_MAX_FIELDS));
        List<JsonObject> sources =
                golden.get("sources").list().stream().map(s -> source(s)).toList();
        if (golden.has("error")) {
            assertThat(golden.get("error").text())
                    .isEqualTo("TooManyFields(" + schema.maxFields() + ")");
            assertThatThrownBy(() -> DynamicMapping.propose(schema, sources))
                    .isInstanceOfSatisfying(
                            SchemaException.class,
                            e -> assertThat(e.rule()).isEqualTo("too many fields"))
                    .hasMessage("7 fields and vectors would exceed max_fields 6");
            return;
        }
        List<Field> proposed = DynamicMapping.propose(schema, sources);
        if (golden.has("count")) {
            assertThat(proposed).hasSize((int) golden.get("count").u64());
        } else {
            assertThat(proposed)
                    .isEqualTo(golden.get("proposed").list().stream().map(f -> field(f)).toList());
        }
    }

    @ParameterizedTest
    @MethodSource("cases")
    void proposesNothingUnlessTheModeIsMap(Golden golden) {
        List<String> existing = golden.get("existing").list().stream().map(Golden::text).toList();
        for (Dynamic dynamic : List.of(Dynamic.STRICT, Dynamic.IGNORE)) {
            CollectionSchema schema = GoldenSchemas.of(existing, dynamic, 1000);
            for (Golden source : golden.get("sources").list()) {
                assertThat(DynamicMapping.required(schema, source(source))).isEmpty();
            }
        }
    }

    private static Field field(Golden triple) {
        List<String> members = triple.list().stream().map(f -> expand(f.text())).toList();
        String kind = KINDS.get(members.get(2));
        assertThat(kind).as(members.get(2)).isNotNull();
        return new Field(
                members.get(0),
                members.get(1),
                GoldenSchemas.kind(kind),
                true,
                !kind.equals("text"),
                false);
    }

    private static JsonObject source(Golden source) {
        String text = expand(Json.text(source.value()));
        return Json.parseObject(text.getBytes(StandardCharsets.UTF_8));
    }

    private static String expand(String text) {
        Matcher matcher = PLACEHOLDER.matcher(text);
        return matcher.replaceAll(
                found -> {
                    String value = PLACEHOLDERS.get(found.group());
                    assertThat(value).as(found.group()).isNotNull();
                    return value;
                });
    }
}
