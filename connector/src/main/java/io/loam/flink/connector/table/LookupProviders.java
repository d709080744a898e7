package io.loam.flink.connector.table;

import org.apache.flink.table.connector.source.LookupTableSource.LookupRuntimeProvider;
import org.apache.flink.table.connector.source.lookup.AsyncLookupFunctionProvider;
import org.apache.flink.table.connector.source.lookup.LookupFunctionProvider;
import org.apache.flink.table.connector.source.lookup.PartialCachingAsyncLookupProvider;
import org.apache.flink.table.connector.source.lookup.PartialCachingLookupProvider;

/** The function of a lookup join in the form its settings ask for. */
final class LookupProviders {
    private LookupProviders() {}

    static LookupRuntimeProvider of(KeyLookup lookup, LookupSettings settings) {
        if (settings.async()) {
            AsyncKeyLookupFunction function = new AsyncKeyLookupFunction(lookup);
            return settings.cache() == null
                    ? AsyncLookupFunctionProvider.of(function)
                    : PartialCachingAsyncLookupProvider.of(function, settings.cache());
        }
        KeyLookupFunction function = new KeyLookupFunction(lookup);
        return settings.cache() == null
                ? LookupFunctionProvider.of(function)
                : PartialCachingLookupProvider.of(function, settings.cache());
    }
}
