package io.loam.codec.schema;

import io.loam.codec.schema.CollectionSchema.Distance;
import io.loam.codec.schema.CollectionSchema.Dynamic;
import io.loam.codec.schema.CollectionSchema.Element;
import io.loam.codec.schema.CollectionSchema.Field;
import io.loam.codec.schema.CollectionSchema.FieldKind;
import io.loam.codec.schema.CollectionSchema.Hnsw;
import io.loam.codec.schema.CollectionSchema.Modifier;
import io.loam.codec.schema.CollectionSchema.Quantization;
import io.loam.codec.schema.CollectionSchema.SparseField;
import io.loam.codec.schema.CollectionSchema.Vector;
import io.loam.codec.schema.CollectionSchema.VectorIndex;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

class SchemaJsonTest {
    @Test
    void fillsInDefaults() {
        assertThat(parse("{}"))
                .isEqualTo(
                        new CollectionSchema(
                                1,
                                List.of(),
                                List.of(),
                                List.of(),
                                Dynamic.IGNORE,
                                1000,
                                Map.of()));
        CollectionSchema schema =
                parse(
                        "{'fields':[{'name':'t','kind':'text'},{'name':'k','kind':'keyword'}],"
                                + "'vectors':[{'dim':3}],'sparse_vectors':[{'name':'s'}],"
                                + "'dynamic':null}");
        assertThat(schema.fields())
                .containsExactly(
                        new Field(
                                "t", "t", new FieldKind.Text("standard", true), true, false, false),
                        new Field("k", "k", new FieldKind.Keyword(), true, true, false));
        assertThat(schema.vectors())
                .containsExactly(vector("", new VectorIndex.Auto(), Hnsw.DEFAULT, null));
        assertThat(schema.sparseVectors()).containsExactly(new SparseField("s", Modifier.NONE));
    }

    static List<CollectionSchema> schemas() {
        List<CollectionSchema> schemas = new ArrayList<>();
        List<VectorIndex> indexes =
                List.of(
                        new VectorIndex.Auto(),
                        new VectorIndex.None(),
                        new VectorIndex.IvfPq(null, null, 8),
                        new VectorIndex.IvfPq(7L, 3L, 4),
                        new VectorIndex.IvfRq(9L, 5),
                        new VectorIndex.IvfHnswSq(null),
                        new VectorIndex.IvfHnswSq(4L));
        for (VectorIndex index : indexes) {
            schemas.add(with(vector("v", index, Hnsw.DEFAULT, null)));
        }
        List<Quantization> quantizations =
                List.of(
                        new Quantization.Scalar(null, true),
                        new Quantization.Scalar(990_000L, false),
                        new Quantization.Product(16, true),
                        new Quantization.Binary(true));
        for (Quantization quantization : quantizations) {
            Hnsw hnsw = new Hnsw(1, 2, 3, 4L, true);
            schemas.add(with(vector("ü\"\n", new VectorIndex.Auto(), hnsw, quantization)));
        }
        return schemas;
    }

    @ParameterizedTest
    @MethodSource("schemas")
    void readsBackWhatItPrints(CollectionSchema schema) {
        byte[] printed = SchemaJson.print(schema);
        assertThat(SchemaJson.parse(printed)).isEqualTo(schema);
        assertThat(SchemaJson.print(SchemaJson.parse(printed))).isEqualTo(printed);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "{'colour':1} | schema has no member \"colour\"; it may have [version, ",
                "{'version':-1} | schema.version must be an integer of at least 0, not -1",
                "{'version':1.5} | schema.version must be an integer of at least 0, not 1.5",
                "{'max_fields':4294967296} | schema.max_fields must be at most 2147483647, not ",
                "{'fields':{}} | schema.fields must be an array, not {}",
                "{'fields':[1]} | schema.fields[0] must be an object, not 1",
                "{'fields':[{'kind':'text'}]} | schema.fields[0].name is missing",
                "{'fields':[{'name':'a'}]} | schema.fields[0].kind is missing",
                "{'fields':[{'name':'a','kind':'string'}]} | schema.fields[0].kind.type is one of text,",
                "{'fields':[{'name':'a','kind':{'type':'i64','analyzer':'x'}}]} | schema.fields[0].kind has no member \"analyzer\"",
                "{'fields':[{'name':'a','kind':'i64','fast':1}]} | schema.fields[0].fast must be true or false, not 1",
                "{'fields':[{'name':7,'kind':'i64'}]} | schema.fields[0].name must be a string, not 7",
                "{'vectors':[{'name':'v'}]} | schema.vectors[0].dim is missing",
                "{'vectors':[{'dim':1,'distance':'Cosine'}]} | schema.vectors[0].distance is one of cosine, dot, euclid, manhattan, not \"Cosine\"",
                "{'vectors':[{'dim':1,'index':{'type':'hnsw'}}]} | schema.vectors[0].index.type is one of auto, none, ivf_pq, ivf_rq, ivf_hnsw_sq, not \"hnsw\"",
                "{'vectors':[{'dim':1,'quantization':'product'}]} | schema.vectors[0].quantization.compression_ratio is missing",
                "{'vectors':[{'dim':1,'hnsw':{'m':'x'}}]} | schema.vectors[0].hnsw.m must be an integer of at least 0, not \"x\"",
                "{'sparse_vectors':[{'name':'s','modifier':'tf'}]} | schema.sparse_vectors[0].modifier is one of none, idf, not \"tf\"",
                "{'dynamic':'loose'} | schema.dynamic is one of strict, ignore, map, not \"loose\"",
                "{'annotations':{'es.x':1}} | schema.annotations.es.x must be a string, not 1",
                "[] | not a JSON object: ",
                "{'version' | not a JSON object: "
            })
    void saysWhatIsWrongAndWhere(String json, String message) {
        assertThatThrownBy(() -> parse(json))
                .isInstanceOfSatisfying(
                        SchemaException.class, e -> assertThat(e.rule()).isEqualTo("json"))
                .hasMessageStartingWith(message);
    }

    private static CollectionSchema parse(String json) {
        return SchemaJson.parse(json.replace('\'', '"').getBytes(StandardCharsets.UTF_8));
    }

    private static Vector vector(
            String name, VectorIndex index, Hnsw hnsw, Quantization quantization) {
        return new Vector(name, 3, Distance.COSINE, Element.F32, index, hnsw, quantization);
    }

    private static CollectionSchema with(Vector vector) {
        return new CollectionSchema(
                7,
                List.of(
                        new Field(
                                "a.b", "c", new FieldKind.Text("simple", false), true, false, true),
                        new Field("j", "", new FieldKind.Json(), false, true, false)),
                List.of(vector),
                List.of(new SparseField("s", Modifier.IDF)),
                Dynamic.STRICT,
                12,
                Map.of("es.b", "1", "es.a", "2", "qdrant.c", ""));
    }
}
