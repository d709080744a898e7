package io.loam.codec.schema;

import io.loam.codec.schema.CollectionSchema.Distance;
import io.loam.codec.schema.CollectionSchema.Dynamic;
import io.loam.codec.schema.CollectionSchema.Element;
import io.loam.codec.schema.CollectionSchema.Field;
import io.loam.codec.schema.CollectionSchema.FieldKind;
import io.loam.codec.schema.CollectionSchema.Hnsw;
import io.loam.codec.schema.CollectionSchema.Modifier;
import io.loam.codec.schema.CollectionSchema.SparseField;
import io.loam.codec.schema.CollectionSchema.Vector;
import io.loam.codec.schema.CollectionSchema.VectorIndex;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

/** Schemas that golden files name by short texts; a text that is not in the tables fails. */
final class GoldenSchemas {
    private static final Map<String, FieldKind> KINDS =
            Map.of(
                    "text", new FieldKind.Text("standard", true),
                    "keyword", new FieldKind.Keyword(),
                    "i64", new FieldKind.I64(),
                    "f64", new FieldKind.F64(),
                    "bool", new FieldKind.Bool(),
                    "date", new FieldKind.Date(),
                    "uuid", new FieldKind.Uuid(),
                    "json", new FieldKind.Json());

    private static final Map<String, Consumer<GoldenSchemas>> MEMBERS =
            Map.of(
                    "text title", s -> s.field("title", "title", "text", false),
                    "i64 n", s -> s.field("n", "n", "i64", false),
                    "i64 s.keyword", s -> s.field("s.keyword", "s.keyword", "i64", false),
                    "i64 m with ignore_malformed", s -> s.field("m", "m", "i64", true),
                    "json meta at path meta", s -> s.field("meta", "meta", "json", false),
                    "json payload at path ''", s -> s.field("payload", "", "json", false),
                    "dense v", s -> s.dense("v"),
                    "dense v dim 3", s -> s.dense("v"),
                    "sparse s", s -> s.sparseVectors.add(new SparseField("s", Modifier.NONE)));

    private static final Map<String, Dynamic> MODES =
            Map.of("strict", Dynamic.STRICT, "map", Dynamic.MAP, "ignore", Dynamic.IGNORE);

    private final List<Field> fields = new ArrayList<>();
    private final List<Vector> vectors = new ArrayList<>();
    private final List<SparseField> sparseVectors = new ArrayList<>();

    static FieldKind kind(String name) {
        return known(KINDS, name);
    }

    /** {@code [<mode>; ]<member>[, <member>...]}. */
    static CollectionSchema parse(String text) {
        int end = text.indexOf("; ");
        Dynamic dynamic = end < 0 ? Dynamic.IGNORE : known(MODES, text.substring(0, end));
        return of(
                List.of(text.substring(end < 0 ? 0 : end + 2).split(", ")),
                dynamic,
                CollectionSchema.DEFAULT_MAX_FIELDS);
    }

    static CollectionSchema of(List<String> members, Dynamic dynamic, int maxFields) {
        GoldenSchemas schema = new GoldenSchemas();
        members.forEach(member -> known(MEMBERS, member).accept(schema));
        return new CollectionSchema(
                1,
                schema.fields,
                schema.vectors,
                schema.sparseVectors,
                dynamic,
                maxFields,
                Map.of());
    }

    private static <T> T known(Map<String, T> table, String text) {
        T value = table.get(text);
        if (value == null) {
            throw new IllegalArgumentException("the table lacks \"" + text + "\"");
        }
        return value;
    }

    private void field(String name, String path, String kind, boolean ignoreMalformed) {
        boolean fast = !kind.equals("text");
        fields.add(new Field(name, path, kind(kind), true, fast, ignoreMalformed));
    }

    private void dense(String name) {
        vectors.add(
                new Vector(
                        name,
                        3,
                        Distance.COSINE,
                        Element.F32,
                        new VectorIndex.Auto(),
                        Hnsw.DEFAULT,
                        null));
    }
}
