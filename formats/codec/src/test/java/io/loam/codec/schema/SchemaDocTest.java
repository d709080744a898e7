package io.loam.codec.schema;

import io.loam.codec.schema.CollectionSchema.Dynamic;
import io.loam.codec.schema.CollectionSchema.Field;
import io.loam.codec.schema.CollectionSchema.FieldKind;
import io.loam.codec.schema.CollectionSchema.VectorIndex;

import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import static org.assertj.core.api.Assertions.assertThat;

/** The example of {@code docs/formats/schema.md} is a schema. */
class SchemaDocTest {
    private static final Pattern EXAMPLE = Pattern.compile("```json\n(.*?)```", Pattern.DOTALL);

    @Test
    void theExampleIsValid() throws IOException {
        String page = Files.readString(Path.of("../../docs/formats/schema.md"));
        Matcher example = EXAMPLE.matcher(page);
        assertThat(example.find()).isTrue();
        CollectionSchema schema =
                SchemaJson.parse(example.group(1).getBytes(StandardCharsets.UTF_8));
        SchemaValidator.validateCreation("docs", 4, schema);
        assertThat(schema.fields().get(0).kind()).isEqualTo(new FieldKind.Text("english", true));
        assertThat(schema.fields().get(1))
                .isEqualTo(
                        new Field(
                                "title.raw", "title", new FieldKind.Keyword(), true, true, false));
        assertThat(schema.vectors().get(0).index()).isEqualTo(new VectorIndex.IvfRq(null, 1));
        assertThat(schema.dynamic()).isEqualTo(Dynamic.STRICT);
    }
}
