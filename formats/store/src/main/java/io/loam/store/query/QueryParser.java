package io.loam.store.query;

import io.loam.codec.schema.CollectionSchema;
import io.loam.codec.schema.CollectionSchema.Field;
import io.loam.codec.schema.CollectionSchema.FieldKind.Text;
import io.loam.store.query.QueryScanner.Piece;

import java.util.ArrayList;
import java.util.List;

/**
 * Parses the text form of queries.
 *
 * <pre>
 * query       = alternative+              any of them; "+" and "-" see below
 * alternative = conjunction ("OR" conjunction)*
 * conjunction = clause ("AND" clause)*
 * clause      = ("+" | "-" | "NOT")* primary
 * primary     = "(" query ")" | "*" | phrase | word | field ":" value | field comparison
 * value       = "*" | phrase | word | range | comparison
 * range       = ("[" | "{") bound "TO" bound ("]" | "}")
 * comparison  = ("&gt;=" | "&gt;" | "&lt;=" | "&lt;" | "=") (word | phrase)
 * bound       = "*" | word | phrase
 * phrase      = text in double quotes
 * </pre>
 *
 * Beside a clause with "+", clauses without a sign need not match but raise the score; "-" and
 * "NOT" exclude. A backslash takes the next character as it is.
 */
public final class QueryParser {
    private static final int MAX_DEPTH = 64;

    private final QueryScanner scanner;
    private final QueryFields fields;
    private final QueryLeaves leaves;
    private int depth;

    private QueryParser(String text, CollectionSchema schema) {
        this.scanner = new QueryScanner(text);
        this.fields = new QueryFields(schema);
        this.leaves = new QueryLeaves(scanner, fields);
    }

    /**
     * @throws InvalidQueryException saying where the text is wrong and what can stand there
     */
    public static SearchQuery parse(String text, CollectionSchema schema) {
        QueryParser parser = new QueryParser(text, schema);
        SearchQuery query = parser.query();
        if (!parser.scanner.atEnd()) {
            throw parser.scanner.error(
                    parser.scanner.position(), "no parenthesis is open here, put a \\ before it");
        }
        return query;
    }

    private enum Sign {
        NONE,
        REQUIRED,
        EXCLUDED
    }

    private record Clause(Sign sign, SearchQuery query) {
        /** As a part of AND or OR, where "+" says nothing new. */
        SearchQuery operand() {
            return sign == Sign.EXCLUDED ? bool(List.of(), List.of(), List.of(query)) : query;
        }
    }

    private SearchQuery query() {
        List<Clause> clauses = new ArrayList<>();
        scanner.skipSpace();
        while (!scanner.atEnd() && scanner.peek() != ')') {
            clauses.add(alternative());
            scanner.skipSpace();
        }
        if (clauses.isEmpty()) {
            throw scanner.error(
                    scanner.position(),
                    "expected a word, a \"phrase\", field:value, * or a query in parentheses");
        }
        if (clauses.size() == 1) {
            return clauses.get(0).operand();
        }
        List<SearchQuery> required = new ArrayList<>();
        List<SearchQuery> optional = new ArrayList<>();
        List<SearchQuery> excluded = new ArrayList<>();
        for (Clause clause : clauses) {
            switch (clause.sign()) {
                case REQUIRED -> required.add(clause.query());
                case EXCLUDED -> excluded.add(clause.query());
                default -> optional.add(clause.query());
            }
        }
        return bool(required, optional, excluded);
    }

    private Clause alternative() {
        List<Clause> parts = new ArrayList<>();
        do {
            parts.add(conjunction());
            scanner.skipSpace();
        } while (scanner.skipKeyword("OR"));
        if (parts.size() == 1) {
            return parts.get(0);
        }
        List<SearchQuery> operands = parts.stream().map(Clause::operand).toList();
        return new Clause(Sign.NONE, bool(List.of(), operands, List.of()));
    }

    private Clause conjunction() {
        List<Clause> parts = new ArrayList<>();
        do {
            parts.add(clause());
            scanner.skipSpace();
        } while (scanner.skipKeyword("AND"));
        if (parts.size() == 1) {
            return parts.get(0);
        }
        List<SearchQuery> required = new ArrayList<>();
        List<SearchQuery> excluded = new ArrayList<>();
        for (Clause part : parts) {
            (part.sign() == Sign.EXCLUDED ? excluded : required).add(part.query());
        }
        return new Clause(Sign.NONE, bool(required, List.of(), excluded));
    }

    private Clause clause() {
        Sign sign = Sign.NONE;
        scanner.skipSpace();
        while (true) {
            if (scanner.skip('-') || scanner.skipKeyword("NOT")) {
                sign = sign == Sign.EXCLUDED ? Sign.REQUIRED : Sign.EXCLUDED;
            } else if (scanner.skip('+')) {
                sign = sign == Sign.NONE ? Sign.REQUIRED : sign;
            } else {
                return new Clause(sign, primary());
            }
            scanner.skipSpace();
        }
    }

    private SearchQuery primary() {
        int start = scanner.position();
        for (String keyword : List.of("AND", "OR")) {
            if (scanner.atKeyword(keyword)) {
                throw scanner.error(
                        start, keyword + " stands between two parts; quote it to look for it");
            }
        }
        if (scanner.skip('(')) {
            return parentheses(start);
        }
        if (scanner.peek() == '"') {
            return phrase(scanner.quoted());
        }
        Piece name = scanner.word(":<>=");
        if (!name.text().isEmpty() && scanner.peek() == ':') {
            return leaves.named(name);
        }
        if ("<>=".indexOf(scanner.peek()) >= 0 && fields.find(name.text()).isPresent()) {
            return leaves.compared(name);
        }
        scanner.reset(start);
        return word(scanner.word(""));
    }

    private SearchQuery parentheses(int start) {
        if (++depth > MAX_DEPTH) {
            throw scanner.error(start, "more than " + MAX_DEPTH + " parentheses are open");
        }
        SearchQuery inner = query();
        if (!scanner.skip(')')) {
            throw scanner.error(start, "this parenthesis is never closed");
        }
        depth--;
        return inner;
    }

    private SearchQuery word(Piece word) {
        if (word.text().isEmpty()) {
            throw scanner.error(
                    word.position(),
                    "expected a word, a \"phrase\", field:value, * or a query in parentheses");
        }
        if (word.bare() && word.text().equals("*")) {
            return new SearchQuery.All();
        }
        return any(
                defaults(word).stream()
                        .<SearchQuery>map(
                                field ->
                                        new SearchQuery.Match(
                                                field.name(), null, word.text(), true))
                        .toList());
    }

    private SearchQuery phrase(Piece phrase) {
        List<SearchQuery> perField =
                defaults(phrase).stream()
                        .filter(field -> ((Text) field.kind()).positions())
                        .<SearchQuery>map(
                                field -> new SearchQuery.Phrase(field.name(), null, phrase.text()))
                        .toList();
        if (perField.isEmpty()) {
            throw scanner.error(
                    phrase.position(), "no text field keeps positions, so there are no phrases");
        }
        return any(perField);
    }

    private List<Field> defaults(Piece piece) {
        List<Field> defaults = fields.defaults();
        if (defaults.isEmpty()) {
            throw scanner.error(
                    piece.position(),
                    "there is no text field to look for words in, name one as field:value; "
                            + fields.listed());
        }
        return defaults;
    }

    private static SearchQuery any(List<SearchQuery> queries) {
        return queries.size() == 1 ? queries.get(0) : bool(List.of(), queries, List.of());
    }

    private static SearchQuery bool(
            List<SearchQuery> required, List<SearchQuery> optional, List<SearchQuery> excluded) {
        List<SearchQuery> must = new ArrayList<>();
        List<SearchQuery> filter = new ArrayList<>();
        for (SearchQuery query : required) {
            (isRanked(query) ? must : filter).add(query);
        }
        return new SearchQuery.Bool(must, optional, filter, excluded);
    }

    private static boolean isRanked(SearchQuery query) {
        if (query instanceof SearchQuery.Bool bool) {
            return bool.must().stream().anyMatch(QueryParser::isRanked)
                    || bool.should().stream().anyMatch(QueryParser::isRanked);
        }
        return query instanceof SearchQuery.Match || query instanceof SearchQuery.Phrase;
    }
}
