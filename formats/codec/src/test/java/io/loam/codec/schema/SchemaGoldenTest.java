package io.loam.codec.schema;

import io.loam.codec.json.JsonValue;
import io.loam.codec.json.JsonValue.JsonInteger;
import io.loam.codec.json.JsonValue.JsonObject;
import io.loam.codec.json.JsonValue.JsonString;
import io.loam.codec.manifest.Golden;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

class SchemaGoldenTest {
    private static final Golden FILE = Golden.file("schema.json");
    private static final CollectionSchema BASE =
            SchemaJson.parse(validation().get(0).get("schema").value());

    static List<Golden> validation() {
        return FILE.get("validation").list();
    }

    static List<Golden> evolution() {
        return FILE.get("evolution").list();
    }

    @ParameterizedTest
    @MethodSource("validation")
    void validates(Golden golden) {
        CollectionSchema schema = SchemaJson.parse(golden.get("schema").value());
        assertThat(rule(() -> SchemaValidator.validate(schema)))
                .isEqualTo(golden.get("expect").text());
    }

    @ParameterizedTest
    @MethodSource("validation")
    void printsWhatTheFileHolds(Golden golden) {
        CollectionSchema schema = SchemaJson.parse(golden.get("schema").value());
        assertThat(SchemaJson.parse(SchemaJson.print(schema))).isEqualTo(schema);
        assertThat(SchemaJsonPrinter.object(schema)).isEqualTo(golden.get("schema").value());
    }

    @ParameterizedTest
    @MethodSource("evolution")
    void evolves(Golden golden) {
        CollectionSchema current = SchemaJson.parse(golden.get("current").value());
        CollectionSchema next = SchemaJson.parse(golden.get("next").value());
        assertThat(rule(() -> SchemaEvolution.check(current, next)))
                .isEqualTo(golden.get("expect").text());
    }

    @Test
    void limitsAnnotationValuesAsNotListed() {
        Map<String, Map<Integer, String>> phrases =
                Map.of(
                        "an annotation value of 65536 bytes is ok, of 65537 is 'annotation value'",
                        Map.of(65_536, "ok", 65_537, "annotation value"));
        for (Golden phrase : FILE.get("not_listed").list()) {
            assertThat(phrases).containsKey(phrase.text());
            phrases.get(phrase.text())
                    .forEach(
                            (bytes, expected) ->
                                    assertThat(ruleOf(Map.of("es.x", "v".repeat(bytes))))
                                            .as("%d bytes", bytes)
                                            .isEqualTo(expected));
        }
    }

    @ParameterizedTest
    @CsvSource({
        "es.x, ok",
        "qdrant.x, ok",
        "loams.x, ok",
        "es, annotation key",
        "ES.x, annotation key"
    })
    void limitsAnnotationKeys(String key, String expected) {
        assertThat(ruleOf(Map.of(key, ""))).isEqualTo(expected);
    }

    @Test
    void limitsNumberAndLengthOfAnnotationKeys() {
        assertThat(ruleOf(Map.of("es." + "k".repeat(252), ""))).isEqualTo("ok");
        assertThat(ruleOf(Map.of("es." + "k".repeat(253), ""))).isEqualTo("annotation key");
        Map<String, String> many = new LinkedHashMap<>();
        for (int i = 0; i < BASE.maxFields() + 256; i++) {
            many.put("es." + i, "");
        }
        assertThat(ruleOf(many)).isEqualTo("ok");
        many.put("es.more", "");
        assertThat(ruleOf(many)).isEqualTo("too many annotations");
    }

    @Test
    void limitsNamesOfCollections() {
        assertThat(creation("n".repeat(222), 1)).isEqualTo("ok");
        assertThat(creation("n".repeat(223), 1)).isEqualTo("collection name");
        assertThat(creation("ä".repeat(111), 1)).isEqualTo("ok");
        assertThat(creation("ä".repeat(112), 1)).isEqualTo("collection name");
        assertThat(creation("", 1)).isEqualTo("collection name");
        assertThat(creation("_x", 1)).isEqualTo("collection name");
        assertThat(creation("x_", 1)).isEqualTo("ok");
    }

    @ParameterizedTest
    @CsvSource({"0, partitions", "-1, partitions", "1, ok", "10000, ok", "10001, partitions"})
    void limitsPartitions(int partitions, String expected) {
        assertThat(creation("c", partitions)).isEqualTo(expected);
    }

    @Test
    void newCollectionsStartAtVersionOneWithAValidSchema() {
        CollectionSchema second = with("version", JsonInteger.of(2));
        assertThat(rule(() -> SchemaValidator.validateCreation("c", 1, second)))
                .isEqualTo("version");
        CollectionSchema tooSmall = with("max_fields", JsonInteger.of(1));
        assertThat(rule(() -> SchemaValidator.validateCreation("c", 1, tooSmall)))
                .isEqualTo("too many members");
    }

    @Test
    void refusalsSayWhereAndWhichValue() {
        CollectionSchema vector =
                SchemaJson.parse(
                        "{'vectors':[{'name':'v','dim':70000}]}".replace('\'', '"').getBytes());
        assertThatThrownBy(() -> SchemaValidator.validate(vector))
                .isInstanceOf(SchemaException.class)
                .hasMessage("vector \"v\": dim is 1..65536, not 70000");
        assertThatThrownBy(() -> SchemaEvolution.check(BASE, BASE))
                .isInstanceOf(SchemaException.class)
                .hasMessage("version 2 must follow version 1, not 1");
    }

    private static String creation(String name, int partitions) {
        return rule(() -> SchemaValidator.validateCreation(name, partitions, BASE));
    }

    private static String ruleOf(Map<String, String> annotations) {
        Map<String, JsonValue> members = new LinkedHashMap<>();
        annotations.forEach((key, value) -> members.put(key, new JsonString(value)));
        CollectionSchema schema = with("annotations", new JsonObject(members));
        return rule(() -> SchemaValidator.validate(schema));
    }

    private static CollectionSchema with(String member, JsonValue value) {
        Map<String, JsonValue> members =
                new LinkedHashMap<>(SchemaJsonPrinter.object(BASE).members());
        members.put(member, value);
        return SchemaJson.parse(new JsonObject(members));
    }

    private static String rule(Runnable check) {
        SchemaException e = catchThrowableOfType(SchemaException.class, check::run);
        return e == null ? "ok" : e.rule();
    }
}
