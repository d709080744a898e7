package io.loam.store.query;

import io.loam.codec.schema.CollectionSchema;
import io.loam.codec.schema.CollectionSchema.Dynamic;
import io.loam.codec.schema.CollectionSchema.Field;
import io.loam.codec.schema.CollectionSchema.FieldKind;
import io.loam.codec.testing.Campaign;
import io.loam.store.query.SearchQuery.All;
import io.loam.store.query.SearchQuery.Bool;
import io.loam.store.query.SearchQuery.Exists;
import io.loam.store.query.SearchQuery.IsNull;
import io.loam.store.query.SearchQuery.Match;
import io.loam.store.query.SearchQuery.Phrase;
import io.loam.store.query.SearchQuery.Range;
import io.loam.store.query.SearchQuery.Term;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

import java.math.BigInteger;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.Stream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.params.provider.Arguments.arguments;

class QueryParserTest {
    private static final CollectionSchema SCHEMA =
            schema(
                    field("title", new FieldKind.Text("standard", true)),
                    field("notes", new FieldKind.Text("simple", false)),
                    field("tag", new FieldKind.Keyword()),
                    field("n", new FieldKind.I64()),
                    field("x", new FieldKind.F64()),
                    field("b", new FieldKind.Bool()),
                    field("d", new FieldKind.Date()),
                    field("payload", new FieldKind.Json()),
                    field("payload.deep", new FieldKind.Json()),
                    field("payload.tag", new FieldKind.Keyword()));

    private static CollectionSchema schema(Field... fields) {
        return new CollectionSchema(
                1, List.of(fields), List.of(), List.of(), Dynamic.IGNORE, 1000, Map.of());
    }

    private static Field field(String name, FieldKind kind) {
        return new Field(name, name, kind, true, false, false);
    }

    private static SearchQuery word(String text) {
        return should(new Match("title", null, text, true), new Match("notes", null, text, true));
    }

    private static SearchQuery title(String text) {
        return new Match("title", null, text, true);
    }

    private static SearchQuery should(SearchQuery... parts) {
        return new Bool(List.of(), List.of(parts), List.of(), List.of());
    }

    private static SearchQuery not(SearchQuery... parts) {
        return new Bool(List.of(), List.of(), List.of(), List.of(parts));
    }

    static Stream<Arguments> queries() {
        SearchQuery tag = new Term("tag", null, "x");
        return Stream.of(
                arguments("*", new All()),
                arguments("fox", word("fox")),
                arguments(" fox  bear ", should(word("fox"), word("bear"))),
                arguments("title:fox", title("fox")),
                arguments("title:\"quick fox\"", new Phrase("title", null, "quick fox")),
                arguments("\"quick \\\"fox\"", new Phrase("title", null, "quick \"fox")),
                arguments(
                        "+title:a -title:b title:c",
                        new Bool(
                                List.of(title("a")),
                                List.of(title("c")),
                                List.of(),
                                List.of(title("b")))),
                arguments("-title:a", not(title("a"))),
                arguments("NOT title:a", not(title("a"))),
                arguments("NOT NOT title:a", title("a")),
                arguments(
                        "title:a AND tag:x AND NOT title:b",
                        new Bool(
                                List.of(title("a")), List.of(), List.of(tag), List.of(title("b")))),
                arguments("title:a OR tag:x", should(title("a"), tag)),
                arguments("title:a OR NOT tag:x", should(title("a"), not(tag))),
                arguments(
                        "title:a OR title:b AND title:c",
                        should(
                                title("a"),
                                new Bool(
                                        List.of(title("b"), title("c")),
                                        List.of(),
                                        List.of(),
                                        List.of()))),
                arguments(
                        "(title:a OR title:b) AND tag:x",
                        new Bool(
                                List.of(should(title("a"), title("b"))),
                                List.of(),
                                List.of(tag),
                                List.of())),
                arguments(
                        "title:a AND title:b title:c",
                        should(
                                new Bool(
                                        List.of(title("a"), title("b")),
                                        List.of(),
                                        List.of(),
                                        List.of()),
                                title("c"))),
                arguments("title:\\:\\*", title(":*")),
                arguments("\\AND", word("AND")),
                arguments("\\*", word("*")),
                arguments("a<b", word("a<b")),
                arguments("tag:a\\ b", new Term("tag", null, "a b")),
                arguments("tag:\"a b\"", new Term("tag", null, "a b")),
                arguments("tag:*", new Exists("tag", null)),
                arguments("tag:\\*", new Term("tag", null, "*")),
                arguments("n:-3", new Term("n", null, -3L)),
                arguments("n=-3", new Term("n", null, -3L)),
                arguments("n:[1 TO 5]", new Range("n", null, 1L, true, 5L, true)),
                arguments("n:{1 TO 5}", new Range("n", null, 1L, false, 5L, false)),
                arguments("n:[ 1  TO * }", new Range("n", null, 1L, true, null, false)),
                arguments("n:>=3", new Range("n", null, 3L, true, null, true)),
                arguments("n>3", new Range("n", null, 3L, false, null, true)),
                arguments("n:<= 3", new Range("n", null, null, true, 3L, true)),
                arguments("x<2.5e1", new Range("x", null, null, true, 25.0, false)),
                arguments("b:true", new Term("b", null, "true")),
                arguments(
                        "d:[2024-01-01 TO \"2024-02-01T00:00:00Z\"]",
                        new Range("d", null, "2024-01-01", true, "2024-02-01T00:00:00Z", true)),
                arguments(
                        "d:>=2024-01-01T10:00:00Z",
                        new Range("d", null, "2024-01-01T10:00:00Z", true, null, true)),
                arguments("payload:*", new Exists("payload", null)),
                arguments("payload.city:Berlin", new Match("payload", "city", "Berlin", true)),
                arguments("payload.city:\"new york\"", new Phrase("payload", "city", "new york")),
                arguments("payload.city:=Berlin", new Term("payload", "city", "Berlin")),
                arguments("payload.n:=\"3\"", new Term("payload", "n", "3")),
                arguments("payload.n:3", new Term("payload", "n", 3L)),
                arguments("payload.n:3.0", new Term("payload", "n", 3.0)),
                arguments(
                        "payload.n:18446744073709551615",
                        new Term("payload", "n", new BigInteger("18446744073709551615"))),
                arguments("payload.t:true", new Term("payload", "t", true)),
                arguments("payload.o.k:null", new IsNull("payload", "o.k")),
                arguments("payload.o.k:*", new Exists("payload", "o.k")),
                arguments("payload.deep.k:1", new Term("payload.deep", "k", 1L)),
                arguments("payload.tag:1", new Term("payload.tag", null, "1")),
                arguments("payload.n:[2 TO 4.5]", new Range("payload", "n", 2L, true, 4.5, true)),
                arguments(
                        "payload.when>=2024-01-01",
                        new Range("payload", "when", "2024-01-01", true, null, true)),
                arguments("payload.a\\:b:1", new Term("payload", "a:b", 1L)));
    }

    @ParameterizedTest
    @MethodSource("queries")
    void parses(String text, SearchQuery expected) {
        assertThat(QueryParser.parse(text, SCHEMA)).isEqualTo(expected);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '\0',
            ignoreLeadingAndTrailingWhitespace = true,
            value = {
                "()             | 2  | expected a word, a \"phrase\", field:value",
                "a AND          | 6  | expected a word",
                "AND a          | 1  | AND stands between two parts; quote it",
                "a OR OR b      | 6  | OR stands between two parts",
                "(a             | 1  | this parenthesis is never closed",
                "a)             | 2  | no parenthesis is open here",
                "title:\"a      | 7  | this quote is never closed",
                "a\\            | 2  | nothing follows the backslash",
                "nix:a          | 1  | there is no field \"nix\"; fields are title, notes, tag",
                "12:30          | 1  | to look for a colon, put a \\ before it",
                "title:         | 7  | expected a word, a \"phrase\", a [range TO range]",
                "notes:\"a b\"  | 7  | field notes keeps no positions, so it has no phrases",
                "n:seven        | 3  | field n: cannot index \"seven\" as i64",
                "d:>=soon       | 5  | field d: cannot index \"soon\" as date",
                "tag:[a TO b]   | 5  | field tag is keyword and has no ranges; i64, f64 and date",
                "n:[1 5]        | 6  | expected TO, a range is [low TO high]",
                "n:[1 TO 5      | 10 | expected ] or } at the end of the range",
                "n:[ TO 5]      | 5  | field n: cannot index \"TO\" as i64",
                "n:[1 TO ]      | 9  | expected a bound of the range, * for none",
                "payload:a      | 9  | field payload is a Json field, name a path below it",
                "payload.a:[b TO c] | 12 | goes from and to numbers or dates, not \"b\"",
                "payload.a:>    | 12 | expected a value to compare with"
            })
    void saysWhereAndWhatIsWrong(String text, int character, String message) {
        assertThatThrownBy(() -> QueryParser.parse(text, SCHEMA))
                .isInstanceOf(InvalidQueryException.class)
                .hasMessageStartingWith("query, character " + character + ": ")
                .hasMessageContaining(message);
    }

    @Test
    void saysWhatASchemaLacks() {
        CollectionSchema bare = schema(field("n", new FieldKind.I64()));
        assertThatThrownBy(() -> QueryParser.parse("fox", bare))
                .hasMessageContaining("there is no text field to look for words in")
                .hasMessageContaining("fields are n");
        CollectionSchema counted = schema(field("t", new FieldKind.Text("simple", false)));
        assertThatThrownBy(() -> QueryParser.parse("\"a b\"", counted))
                .hasMessageContaining("no text field keeps positions");
        assertThatThrownBy(() -> QueryParser.parse("a:b", schema()))
                .hasMessageContaining("the schema has no fields");
    }

    @Test
    void boundsHowDeepParenthesesGo() {
        assertThatThrownBy(() -> QueryParser.parse("(".repeat(100_000), SCHEMA))
                .isInstanceOf(InvalidQueryException.class)
                .hasMessageContaining("more than 64 parentheses are open");
    }

    @Test
    void anyTextParsesOrIsRefused() {
        long seed = Campaign.seed();
        System.out.println("loam.seed=" + seed);
        Random random = new Random(seed);
        String[] pieces = {
            "title",
            "n",
            "payload",
            ".a",
            ":",
            "[",
            "]",
            "{",
            "}",
            "(",
            ")",
            "\"",
            "\\",
            "*",
            "+",
            "-",
            " ",
            "TO",
            "AND",
            "OR",
            "NOT",
            ">=",
            "<",
            "=",
            "1",
            "2024-01-01",
            "null",
            "é",
            "\u0000",
            "\uD83D\uDE00"
        };
        for (int run = 0; run < 20_000; run++) {
            StringBuilder text = new StringBuilder();
            for (int i = random.nextInt(12); i >= 0; i--) {
                text.append(pieces[random.nextInt(pieces.length)]);
            }
            try {
                assertThat(QueryParser.parse(text.toString(), SCHEMA)).isNotNull();
            } catch (InvalidQueryException refused) {
                assertThat(refused).hasMessageStartingWith("query, character ");
            }
        }
    }

    @Test
    void aLongPathTakesNoLongerThanItsLength() {
        String path = "a.".repeat(500_000) + "a";
        assertThat(QueryParser.parse("payload." + path + ":*", SCHEMA))
                .isEqualTo(new Exists("payload", path));
        assertThatThrownBy(() -> QueryParser.parse(path + ":*", SCHEMA))
                .isInstanceOf(InvalidQueryException.class);
    }
}
