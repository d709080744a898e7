package io.loam.flink.connector.table;

import io.loam.flink.connector.source.CollectionSourceBuilder;
import io.loam.flink.connector.source.ScanMode;

import org.apache.flink.configuration.ConfigOption;
import org.apache.flink.configuration.ReadableConfig;
import org.apache.flink.table.api.ValidationException;

import javax.annotation.Nullable;

import java.time.Duration;
import java.util.Arrays;
import java.util.Objects;

import static io.loam.flink.connector.table.LoamConnectorOptions.SCAN_DISCOVERY_INTERVAL;
import static io.loam.flink.connector.table.LoamConnectorOptions.SCAN_MODE;
import static io.loam.flink.connector.table.LoamConnectorOptions.SCAN_TAG;
import static io.loam.flink.connector.table.LoamConnectorOptions.SCAN_TIMESTAMP_MILLIS;
import static io.loam.flink.connector.table.LoamConnectorOptions.SCAN_VERSION;

/**
 * Where a scan starts.
 *
 * @param version null for the newest
 * @param timestampMs null if no time was given
 * @param tag null if none was given
 */
record ScanStart(
        ScanMode mode,
        @Nullable Long version,
        @Nullable Long timestampMs,
        @Nullable String tag,
        Duration discoveryInterval) {

    /**
     * What a table's options say.
     *
     * @throws ValidationException if they do not go together
     */
    static ScanStart of(ReadableConfig options) {
        ScanMode mode = options.get(SCAN_MODE);
        Long version = options.getOptional(SCAN_VERSION).orElse(null);
        Long timestamp = options.getOptional(SCAN_TIMESTAMP_MILLIS).orElse(null);
        String tag = options.getOptional(SCAN_TAG).orElse(null);
        Duration discovery = options.get(SCAN_DISCOVERY_INTERVAL);
        if (version == null && mode == ScanMode.FROM_VERSION) {
            throw new ValidationException(
                    text(SCAN_MODE, mode) + " needs '" + SCAN_VERSION.key() + "'");
        }
        if (version != null && (mode == ScanMode.LATEST || mode == ScanMode.FULL)) {
            throw new ValidationException(
                    text(SCAN_MODE, mode)
                            + " does not go with "
                            + text(SCAN_VERSION, version)
                            + "; to read changes after a version, give "
                            + text(SCAN_MODE, ScanMode.FROM_VERSION));
        }
        if (version != null && version < 0) {
            throw new ValidationException(text(SCAN_VERSION, version) + ": versions start at 1");
        }
        requireAlone(SCAN_TIMESTAMP_MILLIS, timestamp, mode, version, tag);
        requireAlone(SCAN_TAG, tag, mode, version);
        if (discovery.toMillis() < 1) {
            throw new ValidationException(
                    text(SCAN_DISCOVERY_INTERVAL, discovery) + ": give 1 ms or more");
        }
        return new ScanStart(mode, version, timestamp, tag, discovery);
    }

    private static void requireAlone(
            ConfigOption<?> option, @Nullable Object value, ScanMode mode, Object... others) {
        boolean alone = Arrays.stream(others).allMatch(Objects::isNull) && !mode.isUnbounded();
        if (value != null && !alone) {
            throw new ValidationException(
                    text(option, value)
                            + " names the version to read and goes with no other option that says"
                            + " where to start");
        }
    }

    private static String text(ConfigOption<?> option, Object value) {
        return "'" + option.key() + "' = '" + value + "'";
    }

    /** The version that lookups and searches see; where changes are read, the newest. */
    ReadVersion lookedUp() {
        return mode == ScanMode.DEFAULT
                ? new ReadVersion(version, timestampMs, tag)
                : ReadVersion.NEWEST;
    }

    boolean isNewest() {
        return lookedUp().isNewest();
    }

    /**
     * Starts a source there.
     *
     * @param tagged number of the tag's version; null if there is no tag
     */
    <T> CollectionSourceBuilder<T> apply(CollectionSourceBuilder<T> source, @Nullable Long tagged) {
        source.mode(mode).discoveryInterval(discoveryInterval);
        if (version != null || tagged != null) {
            source.version(tagged == null ? version : tagged);
        }
        if (timestampMs != null) {
            source.timestamp(timestampMs);
        }
        return source;
    }
}
