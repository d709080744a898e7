package io.loam.jobs.demo;

import io.loam.codec.json.JsonValue;
import io.loam.codec.json.JsonValue.JsonBoolean;
import io.loam.codec.json.JsonValue.JsonInteger;
import io.loam.codec.json.JsonValue.JsonObject;
import io.loam.codec.json.JsonValue.JsonString;
import io.loam.codec.key.PrimaryKey;
import io.loam.codec.record.Document;
import io.loam.codec.record.Operation;
import io.loam.codec.record.Operation.Delete;
import io.loam.codec.record.Operation.Patch;
import io.loam.codec.record.Operation.PatchMode;
import io.loam.codec.record.Operation.Upsert;
import io.loam.jobs.demo.WordNet.Entry;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * What the demo appends, in order: every document once, then a wave in which each twentieth
 * document is written anew, each twentieth patched and each fiftieth deleted. Step n is the same in
 * every run of the same size, so a broken run can go on where it was.
 */
final class DemoPlan {
    static final String VECTOR = "gloss";

    private static final int CHUNK = 64;
    private static final int UPDATE_EVERY = 20;
    private static final int PATCH_PHASE = 7;
    private static final int DELETE_EVERY = 50;
    private static final int DELETE_PHASE = 13;

    private final List<Entry> entries;
    private final int vectors;
    private final GlossEmbeddings embeddings;

    /**
     * @param vectors how many documents, from the first, get an embedding
     */
    DemoPlan(List<Entry> entries, int vectors, GlossEmbeddings embeddings) {
        this.entries = entries;
        this.vectors = Math.min(vectors, entries.size());
        this.embeddings = embeddings;
    }

    /** Takes the operations of one chunk. */
    interface Sink {
        void accept(Operation operation);
    }

    /** Chunks of the first wave, then of the second. */
    int chunks() {
        return 2 * chunksPerWave();
    }

    private int chunksPerWave() {
        return (entries.size() + CHUNK - 1) / CHUNK;
    }

    boolean isUpdate(int chunk) {
        return chunk >= chunksPerWave();
    }

    /** Emits one chunk. */
    void emit(int chunk, Sink sink) {
        int from = chunk % chunksPerWave() * CHUNK;
        int to = Math.min(from + CHUNK, entries.size());
        if (isUpdate(chunk)) {
            for (int i = from; i < to; i++) {
                change(i, sink);
            }
            return;
        }
        List<Entry> part = entries.subList(from, to);
        int embedded = Math.max(0, Math.min(vectors - from, part.size()));
        List<float[]> found =
                embedded == 0
                        ? List.of()
                        : embeddings.embedAll(
                                part.subList(0, embedded).stream().map(Entry::gloss).toList());
        for (int i = 0; i < part.size(); i++) {
            Map<String, float[]> dense = i < embedded ? Map.of(VECTOR, found.get(i)) : Map.of();
            sink.accept(new Upsert(document(part.get(i), part.get(i).source(), dense)));
        }
    }

    private void change(int index, Sink sink) {
        Entry entry = entries.get(index);
        PrimaryKey key = PrimaryKey.ofString(entry.key());
        if (index % DELETE_EVERY == DELETE_PHASE) {
            sink.accept(new Delete(key));
        } else if (index % UPDATE_EVERY == 0) {
            Map<String, JsonValue> members = new LinkedHashMap<>(entry.source().members());
            members.put("revision", JsonInteger.of(2));
            Map<String, float[]> dense =
                    index < vectors ? Map.of(VECTOR, embeddings.embed(entry.gloss())) : Map.of();
            sink.accept(new Upsert(document(entry, new JsonObject(members), dense)));
        } else if (index % UPDATE_EVERY == PATCH_PHASE) {
            sink.accept(patch(key));
        }
    }

    private static Patch patch(PrimaryKey key) {
        JsonObject review =
                new JsonObject(
                        Map.of(
                                "review",
                                new JsonObject(
                                        Map.of(
                                                "checked",
                                                new JsonBoolean(true),
                                                "by",
                                                new JsonString("demo")))));
        return new Patch(
                key, PatchMode.MERGE_DEEP, review, List.of("senses"), Map.of(), Map.of(), null);
    }

    private static Document document(Entry entry, JsonObject source, Map<String, float[]> dense) {
        return new Document(PrimaryKey.ofString(entry.key()), source, dense, Map.of());
    }
}
