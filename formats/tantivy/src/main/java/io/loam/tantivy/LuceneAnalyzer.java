package io.loam.tantivy;

import org.apache.lucene.analysis.Analyzer;
import org.apache.lucene.analysis.TokenStream;
import org.apache.lucene.analysis.tokenattributes.CharTermAttribute;
import org.apache.lucene.analysis.tokenattributes.OffsetAttribute;
import org.apache.lucene.analysis.tokenattributes.PositionIncrementAttribute;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.function.Consumer;

/** Runs a chain of Lucene. Words without a letter, digit or ideograph (emoji) take no position. */
final class LuceneAnalyzer implements TextAnalyzer {
    private final Analyzer chain;

    LuceneAnalyzer(Analyzer chain) {
        this.chain = chain;
    }

    @Override
    public void analyze(String text, Consumer<Token> tokens) {
        try (TokenStream stream = chain.tokenStream("", text)) {
            CharTermAttribute term = stream.addAttribute(CharTermAttribute.class);
            OffsetAttribute offset = stream.addAttribute(OffsetAttribute.class);
            PositionIncrementAttribute step = stream.addAttribute(PositionIncrementAttribute.class);
            stream.reset();
            int position = -1;
            while (stream.incrementToken()) {
                String token = term.toString();
                if (!hasWordCharacter(token)) {
                    position += step.getPositionIncrement() - 1;
                    continue;
                }
                position += step.getPositionIncrement();
                tokens.accept(new Token(token, position, offset.startOffset(), offset.endOffset()));
            }
            stream.end();
        } catch (IOException e) {
            throw new UncheckedIOException("a string cannot fail to be read", e);
        }
    }

    private static boolean hasWordCharacter(String token) {
        for (int i = 0, c; i < token.length(); i += Character.charCount(c)) {
            c = token.codePointAt(i);
            if (isWordCharacter(c)) {
                return true;
            }
        }
        return false;
    }

    private static boolean isWordCharacter(int c) {
        return Character.isLetterOrDigit(c)
                || Character.isAlphabetic(c)
                || Character.isIdeographic(c)
                || Character.getType(c) == Character.OTHER_NUMBER;
    }
}
