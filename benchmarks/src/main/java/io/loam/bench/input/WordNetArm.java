package io.loam.bench.input;

import io.loam.bench.Arm;
import io.loam.bench.input.Entry.Kind;
import io.loam.codec.json.Json;
import io.loam.codec.json.JsonValue;
import io.loam.codec.json.JsonValue.JsonArray;
import io.loam.codec.json.JsonValue.JsonObject;
import io.loam.codec.json.JsonValue.JsonString;
import io.loam.jobs.demo.GlossEmbeddings;
import io.loam.jobs.demo.WordNet;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * Writes synsets of WordNet with embeddings of their glosses, as the demo has them, to a file of
 * input. Documents have the fields of generated ones: the lemmas are the title, the gloss is the
 * body, its topic the category, the number of its pointers the count.
 */
final class WordNetArm implements Arm {
    /** Argument: the file. */
    static final String FILE = "file";

    /** Argument: how many synsets, the first ones of the demo's order. */
    static final String DOCUMENTS = "documents";

    private static final int AT_A_TIME = 256;

    @Override
    public Map<String, Double> run(Map<String, String> args) throws Exception {
        long started = System.nanoTime();
        List<WordNet.Entry> all = WordNet.read();
        List<WordNet.Entry> synsets =
                all.subList(0, Math.min(all.size(), Integer.parseInt(args.get(DOCUMENTS))));
        GlossEmbeddings embeddings = new GlossEmbeddings();
        Iterator<Entry> entries =
                IntStream.rangeClosed(0, (synsets.size() - 1) / AT_A_TIME)
                        .mapToObj(chunk -> entries(synsets, chunk * AT_A_TIME, embeddings))
                        .flatMap(List::stream)
                        .iterator();
        InputFile.write(Path.of(args.get(FILE)), entries, synsets.size());
        return Map.of(
                "documents",
                (double) synsets.size(),
                "seconds",
                (System.nanoTime() - started) / 1e9);
    }

    private static List<Entry> entries(
            List<WordNet.Entry> synsets, int from, GlossEmbeddings embeddings) {
        List<WordNet.Entry> some =
                synsets.subList(from, Math.min(synsets.size(), from + AT_A_TIME));
        List<float[]> vectors =
                embeddings.embedAll(some.stream().map(WordNet.Entry::gloss).toList());
        return IntStream.range(0, some.size())
                .mapToObj(i -> entry(some.get(i), vectors.get(i)))
                .toList();
    }

    private static Entry entry(WordNet.Entry synset, float[] vector) {
        Map<String, JsonValue> source = synset.source().members();
        String lemmas =
                ((JsonArray) source.get("lemmas"))
                        .values().stream()
                                .map(lemma -> ((JsonString) lemma).value())
                                .collect(Collectors.joining(", "));
        Map<String, JsonValue> members = new LinkedHashMap<>();
        members.put("title", new JsonString(lemmas));
        members.put("category", source.get("topic"));
        members.put("count", source.get("pointers"));
        members.put("body", new JsonString(synset.gloss()));
        byte[] json = Json.text(new JsonObject(members)).getBytes(StandardCharsets.UTF_8);
        return new Entry(Kind.UPSERT, synset.key(), json, new float[][] {vector});
    }
}
