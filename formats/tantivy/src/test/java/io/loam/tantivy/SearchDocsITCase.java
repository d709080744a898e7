package io.loam.tantivy;

import io.loam.codec.manifest.SplitRef;
import io.loam.codec.schema.CollectionSchema;
import io.loam.codec.schema.CollectionSchema.FieldKind;
import io.loam.store.query.QueryParser;
import io.loam.store.spi.SplitReader;
import io.loam.store.testing.InMemoryObjectStore;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

import static org.assertj.core.api.Assertions.assertThat;

/** Runs the examples of {@code docs/search.md}. */
class SearchDocsITCase {
    private static final Path PAGE = Path.of("..", "..", "docs", "search.md");
    private static final Pattern EXAMPLE = Pattern.compile("\\| `(.*)` \\|([ 0-9]*)\\|");
    private static final CollectionSchema SCHEMA =
            TestSplits.schema(
                    List.of(
                            TestSplits.text("title", "english"),
                            TestSplits.field("tag", new FieldKind.Keyword()),
                            TestSplits.field("n", new FieldKind.I64()),
                            TestSplits.field("day", new FieldKind.Date()),
                            TestSplits.field("payload", new FieldKind.Json())),
                    List.of());

    @TempDir private Path work;

    @Test
    void everyExampleFindsWhatThePageSays() throws IOException {
        List<String> lines = Files.readAllLines(PAGE);
        String[] documents =
                lines.subList(lines.indexOf("```json") + 1, lines.lastIndexOf("```"))
                        .toArray(String[]::new);
        List<Matcher> examples =
                lines.subList(lines.indexOf("| query | documents |") + 2, lines.size()).stream()
                        .takeWhile(line -> line.startsWith("|"))
                        .map(EXAMPLE::matcher)
                        .toList();
        assertThat(examples).hasSizeGreaterThan(20);
        InMemoryObjectStore objects = new InMemoryObjectStore();
        try (TantivySplitStore splits = new TantivySplitStore(objects, TestSplits.ROOT)) {
            SplitRef ref =
                    TestSplits.build(
                            splits, objects, SCHEMA, work, TestSplits.documents(documents));
            try (SplitReader split = splits.open(ref, SCHEMA, null)) {
                for (Matcher example : examples) {
                    assertThat(example.matches()).as(example.toString()).isTrue();
                    String query = example.group(1);
                    int[] found = split.matches(QueryParser.parse(query, SCHEMA));
                    assertThat(text(found)).as(query).isEqualTo(example.group(2).trim());
                }
            }
        }
    }

    private static String text(int[] documents) {
        return Arrays.stream(documents)
                .mapToObj(Integer::toString)
                .collect(Collectors.joining(" "));
    }

    @Test
    void droppedWordsAndValuesBehaveAsThePageSays() throws IOException {
        InMemoryObjectStore objects = new InMemoryObjectStore();
        try (TantivySplitStore splits = new TantivySplitStore(objects, TestSplits.ROOT)) {
            SplitRef ref =
                    TestSplits.build(
                            splits,
                            objects,
                            SCHEMA,
                            work,
                            TestSplits.documents(
                                    "{\"title\":\"state in an art\"}",
                                    "{\"title\":\"state blue red art\"}",
                                    "{\"title\":[\"the state\",\"art of\"]}"));
            try (SplitReader split = splits.open(ref, SCHEMA, null)) {
                assertThat(split.matches(QueryParser.parse("\"state of the art\"", SCHEMA)))
                        .containsExactly(0);
                assertThat(split.matches(QueryParser.parse("\"state art\"", SCHEMA))).isEmpty();
                assertThat(split.matches(QueryParser.parse("\"the state\"", SCHEMA)))
                        .containsExactly(0, 1, 2);
            }
        }
    }
}
