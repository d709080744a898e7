package io.loam.tantivy;

import java.util.List;

/** Cuts text into tokens, the same way for documents and for queries. Thread-safe. */
interface TextAnalyzer {
    List<Token> analyze(String text);
}
