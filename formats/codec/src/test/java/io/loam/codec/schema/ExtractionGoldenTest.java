package io.loam.codec.schema;

import io.loam.codec.json.JsonValue.JsonArray;
import io.loam.codec.json.JsonValue.JsonObject;
import io.loam.codec.manifest.Golden;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import java.util.List;

import static org.assertj.core.api.Assertions.assertThat;

class ExtractionGoldenTest {
    static List<Golden> cases() {
        return Golden.file("extract.json").get("cases").list();
    }

    @ParameterizedTest
    @MethodSource("cases")
    void extracts(Golden golden) {
        JsonObject source = (JsonObject) golden.get("source").value();
        assertThat(Extraction.extract(source, golden.get("path").text()))
                .isEqualTo(((JsonArray) golden.get("values").value()).values());
    }
}
