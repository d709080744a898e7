package io.loam.jobs.demo;

import io.loam.codec.json.Json;

import org.junit.jupiter.api.Test;

import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

import static org.assertj.core.api.Assertions.assertThat;

class WordNetTest {
    @Test
    void everySynsetOfWordNetThreePointOneInAFixedOrder() throws Exception {
        List<WordNet.Entry> entries = WordNet.read();
        assertThat(entries).hasSize(117_791);
        assertThat(entries.stream().map(WordNet.Entry::key).distinct().count()).isEqualTo(117_791);
        Map<Character, Long> counts =
                entries.stream()
                        .collect(
                                Collectors.groupingBy(
                                        entry -> entry.key().charAt(0), Collectors.counting()));
        assertThat(counts).containsOnlyKeys('a', 'n', 'r', 'v');
        assertThat(WordNet.read()).extracting(WordNet.Entry::key).isEqualTo(keys(entries));
        assertThat(keys(entries.subList(0, 1000)))
                .as("the first thousand are a sample of all parts of speech")
                .anyMatch(key -> key.startsWith("a"))
                .anyMatch(key -> key.startsWith("n"))
                .anyMatch(key -> key.startsWith("r"))
                .anyMatch(key -> key.startsWith("v"));
        WordNet.Entry entity =
                entries.stream().filter(e -> e.key().equals("n00001740")).findFirst().orElseThrow();
        assertThat(Json.text(entity.source()))
                .isEqualTo(
                        "{\"lemmas\":[\"entity\"],\"gloss\":\"that which is perceived or known or"
                                + " inferred to have its own distinct existence (living or"
                                + " nonliving)\",\"pos\":\"noun\",\"topic\":\"noun.Tops\",\"senses\":1,"
                                + "\"pointers\":3}");
    }

    private static List<String> keys(List<WordNet.Entry> entries) {
        return entries.stream().map(WordNet.Entry::key).toList();
    }
}
