package io.loam.jobs.demo;

import io.loam.codec.schema.CollectionSchema;
import io.loam.codec.schema.CollectionSchema.Distance;
import io.loam.codec.schema.CollectionSchema.Dynamic;
import io.loam.codec.schema.CollectionSchema.Element;
import io.loam.codec.schema.CollectionSchema.Field;
import io.loam.codec.schema.CollectionSchema.FieldKind;
import io.loam.codec.schema.CollectionSchema.Hnsw;
import io.loam.codec.schema.CollectionSchema.Vector;
import io.loam.codec.schema.CollectionSchema.VectorIndex;

import java.util.List;
import java.util.Map;

/** The schema of the demo's collection. */
final class DemoSchema {
    private DemoSchema() {}

    static CollectionSchema schema() {
        return new CollectionSchema(
                1,
                List.of(
                        field("gloss", new FieldKind.Text("english", true)),
                        field("lemmas", new FieldKind.Text("standard", true)),
                        field("pos", new FieldKind.Keyword()),
                        field("topic", new FieldKind.Keyword()),
                        field("senses", new FieldKind.I64()),
                        field("pointers", new FieldKind.I64())),
                List.of(
                        new Vector(
                                DemoPlan.VECTOR,
                                GlossEmbeddings.DIMENSION,
                                Distance.COSINE,
                                Element.F32,
                                new VectorIndex.Auto(),
                                Hnsw.DEFAULT,
                                null)),
                List.of(),
                Dynamic.IGNORE,
                CollectionSchema.DEFAULT_MAX_FIELDS,
                Map.of());
    }

    private static Field field(String name, FieldKind kind) {
        return new Field(name, name, kind, true, !(kind instanceof FieldKind.Text), false);
    }
}
