package io.loam.flink.connector.testing;

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

/** The schema of collections that tests fill: a text, a number, and a vector of four dimensions. */
public final class SampleSchema {
    private SampleSchema() {}

    public static CollectionSchema get() {
        return new CollectionSchema(
                1,
                List.of(
                        new Field(
                                "title",
                                "title",
                                new FieldKind.Text("standard", true),
                                true,
                                false,
                                false),
                        new Field("n", "n", new FieldKind.I64(), true, true, false)),
                List.of(
                        new Vector(
                                "v",
                                4,
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
}
