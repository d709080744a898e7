package io.loam.codec.schema;

import io.loam.codec.schema.CollectionSchema.Distance;
import io.loam.codec.schema.CollectionSchema.Dynamic;
import io.loam.codec.schema.CollectionSchema.Element;
import io.loam.codec.schema.CollectionSchema.Hnsw;
import io.loam.codec.schema.CollectionSchema.Vector;
import io.loam.codec.schema.CollectionSchema.VectorIndex;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.util.List;
import java.util.Map;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

class HotConfigurationTest {
    @Test
    void namesVectors() {
        assertThat(HotConfiguration.pinned(schema(null))).isEmpty();
        assertThat(HotConfiguration.pinned(schema("*"))).containsExactly(0, 1);
        assertThat(HotConfiguration.pinned(schema("[]"))).isEmpty();
        assertThat(HotConfiguration.pinned(schema("[\"b, c\",\"b, c\"]"))).containsExactly(1);
        for (List<String> names : List.of(List.of("a", "b, c"), List.of("a"), List.of("*", "a"))) {
            String text = HotConfiguration.print(names);
            SchemaValidator.validate(schema(text));
            assertThat(HotConfiguration.pinned(schema(text)))
                    .hasSize(names.contains("*") ? 2 : names.size());
        }
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "a | annotation \"loams.hot\": a: ",
                "{} | not a JSON array of names of dense vectors, or *",
                "[1] | [1]: 1 is no name",
                "[\"x\"] | the schema has no dense vector \"x\""
            })
    void refusesAnythingElse(String text, String message) {
        assertThatThrownBy(() -> SchemaValidator.validate(schema(text)))
                .isInstanceOf(SchemaException.class)
                .hasMessageContaining(message);
    }

    private static CollectionSchema schema(String hot) {
        return new CollectionSchema(
                1,
                List.of(),
                List.of(vector("a"), vector("b, c")),
                List.of(),
                Dynamic.IGNORE,
                10,
                hot == null ? Map.of() : Map.of(HotConfiguration.KEY, hot));
    }

    private static Vector vector(String name) {
        return new Vector(
                name, 3, Distance.DOT, Element.F32, new VectorIndex.Auto(), Hnsw.DEFAULT, null);
    }
}
