package io.loam.codec.schema;

import io.loam.codec.json.Json;
import io.loam.codec.json.JsonSyntaxException;
import io.loam.codec.json.JsonValue.JsonObject;
import io.loam.codec.key.PrimaryKey;
import io.loam.codec.manifest.Golden;
import io.loam.codec.record.Document;
import io.loam.codec.testing.HostileDecoder;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;

/** Decoders of this package and samples for them. */
public final class HostileSchemas {
    private static final CollectionSchema SCHEMA =
            SchemaJson.parse(
                    Golden.file("schema.json")
                            .get("validation")
                            .list()
                            .get(0)
                            .get("schema")
                            .value());

    private HostileSchemas() {}

    public static List<HostileDecoder<?>> decoders(String... jsonWords) {
        return List.of(
                HostileDecoder.of("schema", SchemaJson::parse, SchemaException.class)
                        .samples(schemas())
                        .words(jsonWords)
                        .encoder(SchemaJson::print),
                HostileDecoder.of(
                                "schema, validated",
                                HostileSchemas::validated,
                                SchemaException.class)
                        .samples(List.of(SchemaJson.print(SCHEMA)))
                        .words(jsonWords)
                        .encoder(SchemaJson::print),
                HostileDecoder.<Object>of(
                                "document, checked",
                                HostileSchemas::checked,
                                JsonSyntaxException.class)
                        .samples(documents())
                        .words(jsonWords));
    }

    private static CollectionSchema validated(byte[] bytes) {
        CollectionSchema schema = SchemaJson.parse(bytes);
        SchemaValidator.validateCreation("docs", 4, schema);
        try {
            SchemaEvolution.check(SCHEMA, schema);
        } catch (SchemaException e) {
            // A valid schema, if not a successor of that one.
        }
        return schema;
    }

    private static Object checked(byte[] bytes) {
        JsonObject source = Json.parseObject(bytes);
        Document document = new Document(PrimaryKey.ofU64(1), source, Map.of(), Map.of());
        DocumentCheck.lenient(SCHEMA).violations(document);
        DynamicMapping.required(SCHEMA, source);
        DynamicMapping.propose(SCHEMA, List.of(source, source));
        return DocumentCheck.of(SCHEMA).violations(document);
    }

    private static List<byte[]> schemas() {
        return Golden.file("schema.json").get("validation").list().stream()
                .map(golden -> Json.print(golden.get("schema").value()))
                .toList();
    }

    private static List<byte[]> documents() {
        return List.of(
                        "{\"title\":\"a text\",\"tag\":[\"x\",\"y\"],\"n\":5,\"meta\":{\"a\":{\"b\":1}}}",
                        "{\"d\":\"2024-02-29\",\"u\":\"00000000-0000-0001-0000-000000000002\"}",
                        "{\"a.b\":{\"c\":[1,[2,{\"d\":null}]]},\"a\":{\"b.c\":3}}")
                .stream()
                .map(text -> text.getBytes(StandardCharsets.UTF_8))
                .toList();
    }
}
