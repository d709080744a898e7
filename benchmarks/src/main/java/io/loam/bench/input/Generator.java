package io.loam.bench.input;

import io.loam.bench.input.Entry.Kind;

import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.SplittableRandom;

/**
 * Makes records of a specification, the same for the same seed. Documents have a title, a body of
 * words by Zipf, a category, a count and a price; see {@link BenchSchemas}.
 */
public final class Generator {
    private static final int WORDS = 30_000;
    private static final int CATEGORIES = 50;
    private static final int TITLE_WORDS = 5;
    private static final byte[] NOTHING = {};

    private final InputSpec spec;
    private final SplittableRandom random;
    private final Zipf words = new Zipf(WORDS);
    private final Zipf ranks;
    private final String[] vocabulary = new String[WORDS];
    private int next;
    private int keys;

    public Generator(InputSpec spec) {
        this.spec = spec;
        this.random = new SplittableRandom(spec.seed());
        this.ranks = new Zipf(spec.records());
        SplittableRandom letters = new SplittableRandom(1);
        for (int i = 0; i < WORDS; i++) {
            vocabulary[i] = word(letters, 3 + (int) Math.sqrt(i) / 30 + letters.nextInt(4));
        }
    }

    private static String word(SplittableRandom random, int length) {
        StringBuilder word = new StringBuilder();
        for (int i = 0; i < length; i++) {
            String from = i % 2 == 0 ? "bcdfghklmnprstvw" : "aeiou";
            word.append(from.charAt(random.nextInt(from.length())));
        }
        return word.toString();
    }

    /** Key of a number; numbers that are near have keys that are not. */
    public static String key(int number) {
        long spread = (number + 1L) * 0x9e3779b97f4a7c15L;
        return String.format(Locale.ROOT, "k%08x%07d", spread >>> 32, number);
    }

    public boolean hasNext() {
        return next < spec.records();
    }

    public Entry next() {
        boolean update =
                next >= spec.base() && keys > 0 && random.nextDouble() < spec.updateShare();
        next++;
        if (!update) {
            return document(key(keys++));
        }
        String key = key(updated());
        double what = random.nextDouble();
        if (what < spec.deleteShare()) {
            return new Entry(Kind.DELETE, key, NOTHING, new float[0][]);
        }
        if (what < spec.deleteShare() + spec.patchShare()) {
            String patch = String.format(Locale.ROOT, "{\"count\":%d}", random.nextInt(1_000_000));
            return new Entry(
                    Kind.PATCH, key, patch.getBytes(StandardCharsets.US_ASCII), new float[0][]);
        }
        return document(key);
    }

    /** Ranks are spread over the keys, so that popular ones are not neighbours. */
    private int updated() {
        if (spec.scattered()) {
            return random.nextInt(keys);
        }
        long rank = ranks.next(random, keys);
        return (int) (rank * 2_654_435_761L % keys);
    }

    private Entry document(String key) {
        StringBuilder json = new StringBuilder(spec.jsonBytes() + 64);
        json.append("{\"title\":\"");
        append(json, json.length() + TITLE_WORDS * 6);
        json.append("\",\"category\":\"c").append(random.nextInt(CATEGORIES));
        json.append("\",\"count\":").append(random.nextInt(1_000_000));
        json.append(",\"price\":").append(random.nextInt(100_000) / 100.0);
        json.append(",\"body\":\"");
        append(json, spec.jsonBytes() - 2);
        json.append("\"}");
        float[][] vectors = new float[spec.vectors()][spec.dimension()];
        for (float[] vector : vectors) {
            fill(vector);
        }
        return new Entry(
                Kind.UPSERT, key, json.toString().getBytes(StandardCharsets.US_ASCII), vectors);
    }

    private void append(StringBuilder json, int until) {
        String separator = "";
        while (json.length() < until) {
            json.append(separator).append(vocabulary[words.next(random, WORDS)]);
            separator = " ";
        }
    }

    /** Of unit length, around one of a few hundred centres: embeddings have clusters. */
    private void fill(float[] vector) {
        SplittableRandom centre = new SplittableRandom(random.nextInt(300));
        double squares = 0;
        for (int i = 0; i < vector.length; i++) {
            double value = centre.nextDouble(-1, 1) + 0.5 * random.nextDouble(-1, 1);
            vector[i] = (float) value;
            squares += value * value;
        }
        float length = (float) Math.sqrt(squares);
        for (int i = 0; i < vector.length; i++) {
            vector[i] /= length;
        }
    }
}
