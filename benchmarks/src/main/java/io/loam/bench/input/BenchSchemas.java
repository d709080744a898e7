package io.loam.bench.input;

import io.loam.codec.schema.CollectionSchema;
import io.loam.codec.schema.CollectionSchema.Distance;
import io.loam.codec.schema.CollectionSchema.Dynamic;
import io.loam.codec.schema.CollectionSchema.Element;
import io.loam.codec.schema.CollectionSchema.Field;
import io.loam.codec.schema.CollectionSchema.FieldKind;
import io.loam.codec.schema.CollectionSchema.Hnsw;
import io.loam.codec.schema.CollectionSchema.Vector;
import io.loam.codec.schema.CollectionSchema.VectorIndex;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Schemas of generated documents. */
public final class BenchSchemas {
    private BenchSchemas() {}

    /**
     * Title and body as text, category as a keyword, count as an integer.
     *
     * @param text whether these fields are indexed at all; without them there are rows only
     */
    public static CollectionSchema of(boolean text, int vectors, int dimension) {
        List<Vector> dense = new ArrayList<>();
        for (int i = 0; i < vectors; i++) {
            dense.add(
                    new Vector(
                            Entry.vectorName(i),
                            dimension,
                            Distance.COSINE,
                            Element.F32,
                            new VectorIndex.None(),
                            Hnsw.DEFAULT,
                            null));
        }
        return new CollectionSchema(
                1,
                text ? fields() : List.of(),
                dense,
                List.of(),
                Dynamic.IGNORE,
                CollectionSchema.DEFAULT_MAX_FIELDS,
                Map.of());
    }

    private static List<Field> fields() {
        FieldKind text = new FieldKind.Text("standard", true);
        return List.of(
                new Field("title", "title", text, true, false, false),
                new Field("body", "body", text, true, false, false),
                new Field("category", "category", new FieldKind.Keyword(), true, true, false),
                new Field("count", "count", new FieldKind.I64(), true, true, false));
    }
}
