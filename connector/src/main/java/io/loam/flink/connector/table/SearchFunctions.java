package io.loam.flink.connector.table;

import org.apache.flink.table.functions.UserDefinedFunction;

import java.util.List;
import java.util.Locale;
import java.util.Optional;

/** The functions that search, by name. */
final class SearchFunctions {
    private static final String TEXT_SEARCH = "text_search";
    private static final String HYBRID_SEARCH = "hybrid_search";

    static final List<String> NAMES = List.of(HYBRID_SEARCH, TEXT_SEARCH);

    private SearchFunctions() {}

    /** The function of a name, in small letters or capitals. */
    static Optional<UserDefinedFunction> find(String name, SearchTarget target) {
        return switch (name.toLowerCase(Locale.ROOT)) {
            case TEXT_SEARCH -> Optional.of(new TextSearchFunction(target));
            case HYBRID_SEARCH -> Optional.of(new HybridSearchFunction(target));
            default -> Optional.empty();
        };
    }

    static boolean has(String name) {
        return NAMES.contains(name.toLowerCase(Locale.ROOT));
    }
}
