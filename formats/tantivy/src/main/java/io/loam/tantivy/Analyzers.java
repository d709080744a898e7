package io.loam.tantivy;

import org.apache.lucene.analysis.Analyzer;
import org.apache.lucene.analysis.LowerCaseFilter;
import org.apache.lucene.analysis.StopFilter;
import org.apache.lucene.analysis.TokenStream;
import org.apache.lucene.analysis.Tokenizer;
import org.apache.lucene.analysis.en.EnglishAnalyzer;
import org.apache.lucene.analysis.en.EnglishPossessiveFilter;
import org.apache.lucene.analysis.en.PorterStemFilter;
import org.apache.lucene.analysis.standard.StandardTokenizer;

import java.util.Locale;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.IntPredicate;

/**
 * The analyzers a schema can name.
 *
 * <pre>
 * standard    UAX #29 words that hold a letter, digit or ideograph, cut at 255, lower-case
 * english     standard words, possessive 's stripped, lower-case, stop words dropped, Porter stems
 * simple      runs of alphabetic characters, lower-case
 * whitespace  what lies between Unicode white space
 * keyword     the whole value
 * </pre>
 */
final class Analyzers {
    static final String STANDARD = "standard";
    static final String KEYWORD = "keyword";

    private static final Map<String, TextAnalyzer> BY_NAME =
            Map.of(
                    STANDARD,
                    new StandardAnalyzer(new LuceneAnalyzer(new StandardChain())),
                    "english",
                    new LuceneAnalyzer(new EnglishChain()),
                    "simple",
                    (text, tokens) -> runs(text, Character::isAlphabetic, true, tokens),
                    "whitespace",
                    (text, tokens) -> runs(text, c -> !isWhiteSpace(c), false, tokens),
                    KEYWORD,
                    (text, tokens) -> tokens.accept(new Token(text, 0, 0, text.length())));

    private Analyzers() {}

    /**
     * @throws IllegalArgumentException if no analyzer has this name
     */
    static TextAnalyzer named(String name) {
        TextAnalyzer analyzer = BY_NAME.get(name);
        if (analyzer == null) {
            throw new IllegalArgumentException(
                    "unknown analyzer \"" + name + "\", there are " + BY_NAME.keySet());
        }
        return analyzer;
    }

    private static void runs(
            String text, IntPredicate inToken, boolean lowerCase, Consumer<Token> tokens) {
        int position = 0;
        int start = -1;
        for (int i = 0; i <= text.length(); ) {
            boolean inside = i < text.length() && inToken.test(text.codePointAt(i));
            if (inside && start < 0) {
                start = i;
            } else if (!inside && start >= 0) {
                String run = text.substring(start, i);
                String token = lowerCase ? run.toLowerCase(Locale.ROOT) : run;
                tokens.accept(new Token(token, position++, start, i));
                start = -1;
            }
            i += i < text.length() ? Character.charCount(text.codePointAt(i)) : 1;
        }
    }

    /** Unicode's White_Space, which no predicate of Character is. */
    private static boolean isWhiteSpace(int c) {
        return (c >= 0x09 && c <= 0x0d) || c == 0x85 || Character.isSpaceChar(c);
    }

    private static final class StandardChain extends Analyzer {
        @Override
        protected TokenStreamComponents createComponents(String field) {
            Tokenizer words = new StandardTokenizer();
            return new TokenStreamComponents(words, new LowerCaseFilter(words));
        }
    }

    private static final class EnglishChain extends Analyzer {
        @Override
        protected TokenStreamComponents createComponents(String field) {
            Tokenizer words = new StandardTokenizer();
            TokenStream chain = new EnglishPossessiveFilter(words);
            chain = new LowerCaseFilter(chain);
            chain = new StopFilter(chain, EnglishAnalyzer.ENGLISH_STOP_WORDS_SET);
            return new TokenStreamComponents(words, new PorterStemFilter(chain));
        }
    }
}
