package io.loam.tantivy;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/** Cuts text into tokens, the same way for documents and for queries. Thread-safe. */
interface TextAnalyzer {
    void analyze(String text, Consumer<Token> tokens);

    default List<Token> analyze(String text) {
        List<Token> tokens = new ArrayList<>();
        analyze(text, tokens::add);
        return tokens;
    }

    /** The text a split stores for a value: its {@link StoredTokens}. */
    default String stored(String text) {
        return StoredTokens.text(this, text);
    }
}
