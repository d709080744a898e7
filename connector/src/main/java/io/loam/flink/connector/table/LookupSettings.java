package io.loam.flink.connector.table;

import org.apache.flink.configuration.ReadableConfig;
import org.apache.flink.table.api.ValidationException;
import org.apache.flink.table.connector.source.lookup.LookupOptions;
import org.apache.flink.table.connector.source.lookup.LookupOptions.LookupCacheType;
import org.apache.flink.table.connector.source.lookup.cache.DefaultLookupCache;
import org.apache.flink.table.connector.source.lookup.cache.LookupCache;

import javax.annotation.Nullable;

import java.io.Serializable;
import java.time.Duration;

/**
 * How a table is looked up.
 *
 * @param async whether several keys are looked up at once
 * @param refreshInterval after which a newer version is looked for
 * @param maxRetries of an access that failed
 * @param cache of rows by key; null for none
 */
record LookupSettings(
        boolean async, Duration refreshInterval, int maxRetries, @Nullable LookupCache cache)
        implements Serializable {
    private static final long serialVersionUID = 1L;

    /**
     * What the options of a table say.
     *
     * @throws ValidationException if a value is none
     */
    static LookupSettings of(ReadableConfig options) {
        LookupSettings search = ofSearch(options);
        return new LookupSettings(
                options.get(LoamConnectorOptions.LOOKUP_ASYNC),
                search.refreshInterval(),
                search.maxRetries(),
                cache(options));
    }

    /** What options say that are none of a table's, so that they know of no join. */
    static LookupSettings ofSearch(ReadableConfig options) {
        Duration refresh = options.get(LoamConnectorOptions.LOOKUP_REFRESH_INTERVAL);
        if (refresh.isNegative()) {
            throw new ValidationException(
                    "option "
                            + LoamConnectorOptions.LOOKUP_REFRESH_INTERVAL.key()
                            + ": "
                            + refresh
                            + " is negative; 0 s looks for a newer version at every access");
        }
        int retries = options.get(LookupOptions.MAX_RETRIES);
        if (retries < 0) {
            throw new ValidationException(
                    "option "
                            + LookupOptions.MAX_RETRIES.key()
                            + ": "
                            + retries
                            + " is negative; 0 is no retry");
        }
        return new LookupSettings(false, refresh, retries, null);
    }

    @Nullable
    private static LookupCache cache(ReadableConfig options) {
        LookupCacheType type = options.get(LoamConnectorOptions.LOOKUP_CACHE);
        if (type == LookupCacheType.NONE) {
            return null;
        }
        if (type == LookupCacheType.FULL) {
            throw new ValidationException(
                    "option "
                            + LookupOptions.CACHE_TYPE.key()
                            + ": FULL is not supported, a collection has an index by key; choose"
                            + " NONE or PARTIAL");
        }
        try {
            return DefaultLookupCache.fromConfig(options);
        } catch (IllegalArgumentException e) {
            throw new ValidationException(
                    "option " + LookupOptions.CACHE_TYPE.key() + ": " + e.getMessage(), e);
        }
    }
}
