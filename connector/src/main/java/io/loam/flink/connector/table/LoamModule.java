package io.loam.flink.connector.table;

import org.apache.flink.annotation.PublicEvolving;
import org.apache.flink.table.functions.FunctionDefinition;
import org.apache.flink.table.module.Module;

import java.util.Locale;
import java.util.Optional;
import java.util.Set;

/** Table functions that search the collections of a warehouse. */
@PublicEvolving
public final class LoamModule implements Module {
    private static final String TEXT_SEARCH = "text_search";
    private static final String HYBRID_SEARCH = "hybrid_search";

    private final SearchTarget target;

    LoamModule(SearchTarget target) {
        this.target = target;
    }

    @Override
    public Set<String> listFunctions() {
        return Set.of(TEXT_SEARCH, HYBRID_SEARCH);
    }

    @Override
    public Optional<FunctionDefinition> getFunctionDefinition(String name) {
        return switch (name.toLowerCase(Locale.ROOT)) {
            case TEXT_SEARCH -> Optional.of(new TextSearchFunction(target));
            case HYBRID_SEARCH -> Optional.of(new HybridSearchFunction(target));
            default -> Optional.empty();
        };
    }
}
