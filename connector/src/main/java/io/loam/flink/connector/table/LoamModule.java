package io.loam.flink.connector.table;

import org.apache.flink.annotation.PublicEvolving;
import org.apache.flink.table.functions.FunctionDefinition;
import org.apache.flink.table.module.Module;

import java.util.Optional;
import java.util.Set;

/** Table functions that search the collections of a warehouse. */
@PublicEvolving
public final class LoamModule implements Module {
    private final SearchTarget target;

    LoamModule(SearchTarget target) {
        this.target = target;
    }

    @Override
    public Set<String> listFunctions() {
        return Set.copyOf(SearchFunctions.NAMES);
    }

    @Override
    public Optional<FunctionDefinition> getFunctionDefinition(String name) {
        return SearchFunctions.find(name, target).map(FunctionDefinition.class::cast);
    }
}
