package io.loam.jobs.demo;

import io.loam.codec.json.JsonValue;
import io.loam.codec.json.JsonValue.JsonArray;
import io.loam.codec.json.JsonValue.JsonInteger;
import io.loam.codec.json.JsonValue.JsonObject;
import io.loam.codec.json.JsonValue.JsonString;

import net.sf.extjwnl.JWNLException;
import net.sf.extjwnl.data.POS;
import net.sf.extjwnl.data.Synset;
import net.sf.extjwnl.data.Word;
import net.sf.extjwnl.dictionary.Dictionary;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The synsets of WordNet 3.1 as documents, in a fixed order that mixes parts of speech and topics,
 * so that the first few are a fair sample.
 */
public final class WordNet {
    /** One synset: key such as {@code n00001740}, its gloss and its source object. */
    public record Entry(String key, String gloss, JsonObject source) {}

    private WordNet() {}

    /**
     * Reads all of them.
     *
     * @throws JWNLException if the dictionary on the class path cannot be read
     */
    public static List<Entry> read() throws JWNLException {
        Dictionary dictionary = Dictionary.getDefaultResourceInstance();
        List<Synset> synsets = new ArrayList<>();
        for (POS pos : List.of(POS.NOUN, POS.VERB, POS.ADJECTIVE, POS.ADVERB)) {
            Iterator<Synset> all = dictionary.getSynsetIterator(pos);
            while (all.hasNext()) {
                synsets.add(all.next());
            }
        }
        List<Entry> entries = new ArrayList<>(synsets.size());
        synsets.forEach(synset -> entries.add(entry(synset)));
        entries.sort(Comparator.comparingInt(WordNet::shuffled).thenComparing(Entry::key));
        return entries;
    }

    /** Spreads keys, alike as they are, over all integers; the same in every run. */
    private static int shuffled(Entry entry) {
        int spread = entry.key().hashCode() * 0x9e3779b9;
        return spread ^ spread >>> 16;
    }

    private static Entry entry(Synset synset) {
        String pos = synset.getPOS().getKey();
        String key = String.format("%s%08d", pos, synset.getOffset());
        List<JsonValue> lemmas = new ArrayList<>();
        for (Word word : synset.getWords()) {
            lemmas.add(new JsonString(word.getLemma()));
        }
        Map<String, JsonValue> source = new LinkedHashMap<>();
        source.put("lemmas", new JsonArray(lemmas));
        source.put("gloss", new JsonString(synset.getGloss()));
        source.put("pos", new JsonString(synset.getPOS().getLabel()));
        source.put("topic", new JsonString(synset.getLexFileName()));
        source.put("senses", JsonInteger.of(lemmas.size()));
        source.put("pointers", JsonInteger.of(synset.getPointers().size()));
        return new Entry(key, synset.getGloss(), new JsonObject(source));
    }
}
