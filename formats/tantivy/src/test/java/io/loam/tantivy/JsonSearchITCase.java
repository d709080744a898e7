package io.loam.tantivy;

import io.loam.codec.manifest.SplitRef;
import io.loam.codec.schema.CollectionSchema;
import io.loam.codec.schema.CollectionSchema.FieldKind;
import io.loam.store.query.InvalidQueryException;
import io.loam.store.query.SearchQuery;
import io.loam.store.spi.SplitReader;
import io.loam.store.testing.InMemoryObjectStore;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.math.BigInteger;
import java.nio.file.Path;
import java.util.List;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** Queries on paths of Json fields beyond the golden ones. */
class JsonSearchITCase {
    private static final CollectionSchema SCHEMA =
            TestSplits.schema(
                    List.of(
                            TestSplits.field("p", new FieldKind.Json()),
                            TestSplits.field("p.hidden", new FieldKind.Json())),
                    List.of());

    @TempDir private Path work;
    private final InMemoryObjectStore objects = new InMemoryObjectStore();
    private TantivySplitStore splits;
    private SplitReader split;

    private void open(String... values) throws IOException {
        splits = new TantivySplitStore(objects, TestSplits.ROOT);
        String[] sources = new String[values.length];
        for (int i = 0; i < values.length; i++) {
            sources[i] = "{\"p\":" + values[i] + "}";
        }
        SplitRef ref =
                TestSplits.build(splits, objects, SCHEMA, work, TestSplits.documents(sources));
        split = splits.open(ref, SCHEMA, null);
    }

    @AfterEach
    void close() throws IOException {
        split.close();
        splits.close();
    }

    private int[] term(String path, Object value) throws IOException {
        return split.matches(new SearchQuery.Term("p", path, value));
    }

    private int[] count(String path, long low, long high) throws IOException {
        return split.matches(new SearchQuery.ValuesCount("p", path, low, high));
    }

    private int[] phrase(String path, String text) throws IOException {
        return split.matches(new SearchQuery.Phrase("p", path, text));
    }

    @Test
    void valuesKeepTheirJsonType() throws IOException {
        open(
                "{\"v\":3}",
                "{\"v\":\"3\"}",
                "{\"v\":3.5}",
                "{\"v\":true}",
                "{\"v\":\"true\"}",
                "{\"v\":18446744073709551615}",
                "{\"v\":\"1E5\"}",
                "{\"v\":100000.0}",
                "{\"v\":-7}");
        assertThat(term("v", 3L)).containsExactly(0);
        assertThat(term("v", "3")).containsExactly(1);
        assertThat(term("v", 3.5)).containsExactly(2);
        assertThat(term("v", true)).containsExactly(3);
        assertThat(term("v", "true")).containsExactly(4);
        assertThat(term("v", new BigInteger("18446744073709551615"))).containsExactly(5);
        assertThat(term("v", "1E5")).containsExactly(6);
        assertThat(term("v", 100000.0)).containsExactly(7);
        assertThat(term("v", -7L)).containsExactly(8);
        assertThat(term("v", "false")).isEmpty();
    }

    @Test
    void rangesAreRightOnColumnsOfIntegersAndOfDoubles() throws IOException {
        open(
                "{\"i\":3,\"x\":3}",
                "{\"i\":-3,\"x\":3.5}",
                "{\"i\":4,\"x\":-2.5}",
                "{\"i\":18446744073709551615,\"x\":1e300}",
                "{\"i\":\"3.5\",\"x\":\"3.5\"}");
        assertThat(range("i", 3.2, null)).containsExactly(2, 3);
        assertThat(range("i", null, 3.2)).containsExactly(0, 1);
        assertThat(range("i", 3.2, 3.8)).isEmpty();
        assertThat(range("i", -3.5, 3.5)).containsExactly(0, 1);
        assertThat(range("i", -2.5, 3.0)).containsExactly(0);
        assertThat(range("i", 1e19, null)).containsExactly(3);
        assertThat(range("i", null, 1e300)).containsExactly(0, 1, 2, 3);
        assertThat(range("x", 3.2, null)).containsExactly(1, 3);
        assertThat(range("x", 3.2, 3.8)).containsExactly(1);
        assertThat(range("x", null, -2.5)).containsExactly(2);
        assertThat(range("x", -2.6, 3L)).containsExactly(0, 2);
        assertThat(range("x", -1e300, 3.5)).containsExactly(0, 1, 2);
        assertThat(split.matches(new SearchQuery.Range("p", "x", -2.5, false, 3.5, false)))
                .containsExactly(0);
        assertThat(term("x", 3.5)).containsExactly(1);
        assertThat(term("i", 3.5)).isEmpty();
        assertThat(range("x", null, null)).containsExactly(0, 1, 2, 3, 4);
    }

    private int[] range(String path, Object low, Object high) throws IOException {
        return split.matches(new SearchQuery.Range("p", path, low, true, high, true));
    }

    @Test
    void stringsAreExactWhateverTheyHold() throws IOException {
        open(
                "{\"v\":\"O'Neil \\\\ Sons\"}",
                "{\"v\":\"New York: (a) [b] {c} +d -e *\"}",
                "{\"v\":\"say \\\"hi\\\" now\"}",
                "{\"v\":\"\"}",
                "{\"v\":\"ÉTÉ \uD83D\uDE00\"}",
                "{\"v\":\"" + "K".repeat(300) + "\"}");
        assertThat(term("v", "O'Neil \\ Sons")).containsExactly(0);
        assertThat(term("v", "New York: (a) [b] {c} +d -e *")).containsExactly(1);
        assertThat(term("v", "say \"hi\" now")).containsExactly(2);
        assertThat(term("v", "")).containsExactly(3);
        assertThat(term("v", "ÉTÉ \uD83D\uDE00")).containsExactly(4);
        assertThat(term("v", "été \uD83D\uDE00")).isEmpty();
        assertThat(term("v", "K".repeat(300))).containsExactly(5);
        assertThatThrownBy(() -> term("v", "Say \"hi\""))
                .isInstanceOf(InvalidQueryException.class)
                .hasMessageContaining("capitals and double quotes");
    }

    @Test
    void pathsMayHoldAnything() throws IOException {
        open(
                "{\"a.b\":{\"c d\":1}}",
                "{\"a\":{\"b\":{\"c d\":\"X\"}}}",
                "{\"we:ird (k)\":\"X y\",\"\":{\"\":2}}",
                "{\"a\":[{\"b\":null},{\"b\":[]},[{\"b\":{}}]]}");
        assertThat(term("a.b.c d", 1L)).containsExactly(0);
        assertThat(term("a.b.c d", "X")).containsExactly(1);
        assertThat(term("we:ird (k)", "X y")).containsExactly(2);
        assertThat(phrase("we:ird (k)", "x Y")).containsExactly(2);
        assertThat(term(".", 2L)).containsExactly(2);
        assertThat(split.matches(new SearchQuery.Exists("p", "a.b"))).containsExactly(0, 1);
        assertThat(split.matches(new SearchQuery.IsNull("p", "a.b"))).containsExactly(3);
        assertThat(split.matches(new SearchQuery.Exists("p", null))).containsExactly(0, 1, 2);
    }

    @Test
    void countsAndPhrases() throws IOException {
        open(
                "{\"t\":[\"one two\",\"three\"],\"o\":[{\"k\":1},{\"k\":[2,3]}]}",
                "{\"t\":\"two one\",\"o\":null}",
                "{\"t\":[]}",
                "{\"t\":[[\"x\"],[\"y\",null]]}");
        assertThat(count("t", 2, 9)).containsExactly(0, 3);
        assertThat(count("t", 0, 0)).containsExactly(2);
        assertThat(count("t", 0, 1)).containsExactly(1, 2);
        assertThat(count("t", 3, 2)).isEmpty();
        assertThat(count("o", 2, 2)).containsExactly(0);
        assertThat(count("o.k", 3, Long.MAX_VALUE)).containsExactly(0);
        assertThat(phrase("t", "one two")).containsExactly(0);
        assertThat(phrase("t", "two three")).isEmpty();
        assertThat(phrase("t", "three")).containsExactly(0);
        assertThat(phrase("t", "...")).isEmpty();
        SearchQuery all = new SearchQuery.Match("p", "t", "one TWO", true);
        assertThat(split.matches(all)).containsExactly(0, 1);
        assertThat(split.search(all, 1)).hasSize(1);
    }

    @Test
    void refusesPathsThatAnotherFieldHides() throws IOException {
        open("{\"hidden\":{\"x\":1}}");
        for (SearchQuery query :
                List.of(
                        new SearchQuery.Term("p", "hidden.x", 1L),
                        new SearchQuery.Exists("p", "hidden"),
                        new SearchQuery.Phrase("p", "hidden.x", "a b"),
                        new SearchQuery.ValuesCount("p", "hidden.x", 1, 1),
                        new SearchQuery.Range("p", "hidden.x", 1L, true, null, true))) {
            assertThatThrownBy(() -> split.matches(query))
                    .isInstanceOf(InvalidQueryException.class)
                    .hasMessageContaining("hides it");
        }
        assertThatThrownBy(() -> split.matches(new SearchQuery.Term("p", null, 1L)))
                .isInstanceOf(InvalidQueryException.class)
                .hasMessage("field p is a Json field, ask for a path below it");
        assertThatThrownBy(
                        () ->
                                split.matches(
                                        new SearchQuery.Range("p", "v", "soon", true, null, true)))
                .isInstanceOf(InvalidQueryException.class)
                .hasMessageContaining("numbers or dates, not soon");
    }
}
