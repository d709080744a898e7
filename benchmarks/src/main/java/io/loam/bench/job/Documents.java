package io.loam.bench.job;

import io.loam.codec.json.Json;
import io.loam.codec.key.PrimaryKey;
import io.loam.codec.record.Document;
import io.loam.codec.record.Operation;
import io.loam.codec.schema.CollectionSchema;
import io.loam.codec.schema.CollectionSchema.Distance;
import io.loam.codec.schema.CollectionSchema.Element;
import io.loam.codec.schema.CollectionSchema.Field;
import io.loam.codec.schema.CollectionSchema.FieldKind;
import io.loam.codec.schema.CollectionSchema.Hnsw;
import io.loam.codec.schema.CollectionSchema.Vector;
import io.loam.codec.schema.CollectionSchema.VectorIndex;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;

/**
 * Generated documents: a text, a keyword and two numbers. The words are drawn from 20 000 with
 * frequencies that fall with their rank, as words do.
 *
 * <pre>
 * SHORT   8 words, about 110 bytes of JSON, no vector: for figures that are about many keys
 * LONG   60 words, about 500 bytes of JSON, a vector of 128 dimensions
 * </pre>
 */
public final class Documents implements DocumentSource {
    private static final long serialVersionUID = 1L;

    /** Dimensions of the vector. */
    public static final int DIMENSIONS = 128;

    private static final int WORDS = 20_000;
    private static final String[] VOCABULARY = vocabulary();

    /** How large they are. */
    public enum Shape {
        SHORT(8, false),
        LONG(60, true);

        private final int words;
        private final boolean vector;

        Shape(int words, boolean vector) {
            this.words = words;
            this.vector = vector;
        }
    }

    private final long seed;
    private final Shape shape;

    public Documents(long seed, Shape shape) {
        this.seed = seed;
        this.shape = shape;
    }

    private static String[] vocabulary() {
        SplittableRandom random = new SplittableRandom(7);
        String[] words = new String[WORDS];
        for (int i = 0; i < WORDS; i++) {
            StringBuilder word = new StringBuilder();
            for (int n = 3 + random.nextInt(7); n > 0; n--) {
                word.append((char) ('a' + random.nextInt(26)));
            }
            words[i] = word.toString();
        }
        return words;
    }

    /** A word by its rank, 0 the most frequent. */
    public static String word(int rank) {
        return VOCABULARY[rank];
    }

    /** The schema they are indexed by. */
    public static CollectionSchema schema() {
        return new CollectionSchema(
                1,
                List.of(
                        field("text", new FieldKind.Text("standard", true)),
                        field("kind", new FieldKind.Keyword()),
                        field("n", new FieldKind.I64())),
                List.of(
                        new Vector(
                                "v",
                                DIMENSIONS,
                                Distance.COSINE,
                                Element.F32,
                                new VectorIndex.None(),
                                Hnsw.DEFAULT,
                                null)),
                List.of(),
                CollectionSchema.Dynamic.IGNORE,
                CollectionSchema.DEFAULT_MAX_FIELDS,
                Map.of());
    }

    private static Field field(String name, FieldKind kind) {
        return new Field(name, name, kind, true, !(kind instanceof FieldKind.Text), false);
    }

    @Override
    public Operation insert(long number) {
        return upsert(number, 0);
    }

    @Override
    public CollectionSchema indexedBy() {
        return schema();
    }

    /** Replaces the document of a key by one that follows from key and revision. */
    public Operation upsert(long key, long revision) {
        SplittableRandom random = new SplittableRandom(seed ^ key * 31 ^ revision << 40);
        StringBuilder json = new StringBuilder(600).append("{\"text\":\"");
        for (int i = 0; i < shape.words; i++) {
            json.append(VOCABULARY[rank(random)]).append(' ');
        }
        json.append("\",\"kind\":\"k")
                .append(random.nextInt(100))
                .append("\",\"n\":")
                .append(key)
                .append(",\"revision\":")
                .append(revision)
                .append('}');
        return new Operation.Upsert(
                new Document(
                        PrimaryKey.ofU64(key),
                        Json.parseObject(json.toString().getBytes(StandardCharsets.UTF_8)),
                        shape.vector ? Map.of("v", vector(random)) : Map.of(),
                        Map.of()));
    }

    private static float[] vector(SplittableRandom random) {
        float[] vector = new float[DIMENSIONS];
        for (int i = 0; i < DIMENSIONS; i++) {
            vector[i] = (float) random.nextDouble() - 0.5f;
        }
        return vector;
    }

    /** The logarithm of a rank is spread evenly, so that frequency falls as one over the rank. */
    private static int rank(SplittableRandom random) {
        return (int) (Math.exp(random.nextDouble() * Math.log(WORDS + 1)) - 1);
    }
}
