package io.loam.flink.connector.table;

import io.loam.flink.connector.source.CollectionSourceBuilder;
import io.loam.flink.connector.source.ScanMode;

import org.apache.flink.configuration.ConfigOption;
import org.apache.flink.configuration.ReadableConfig;
import org.apache.flink.table.api.ValidationException;

import javax.annotation.Nullable;

import java.time.Duration;

import static io.loam.flink.connector.table.LoamConnectorOptions.SCAN_DISCOVERY_INTERVAL;
import static io.loam.flink.connector.table.LoamConnectorOptions.SCAN_MODE;
import static io.loam.flink.connector.table.LoamConnectorOptions.SCAN_TIMESTAMP_MILLIS;
import static io.loam.flink.connector.table.LoamConnectorOptions.SCAN_VERSION;

/**
 * Where a scan starts.
 *
 * @param version null for the newest
 * @param timestampMs null if no time was given
 */
record ScanStart(
        ScanMode mode,
        @Nullable Long version,
        @Nullable Long timestampMs,
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
        if (timestamp != null && (version != null || mode.isUnbounded())) {
            throw new ValidationException(
                    text(SCAN_TIMESTAMP_MILLIS, timestamp)
                            + " names the version to read and goes with no other option that says"
                            + " where to start");
        }
        if (discovery.toMillis() < 1) {
            throw new ValidationException(
                    text(SCAN_DISCOVERY_INTERVAL, discovery) + ": give 1 ms or more");
        }
        return new ScanStart(mode, version, timestamp, discovery);
    }

    private static String text(ConfigOption<?> option, Object value) {
        return "'" + option.key() + "' = '" + value + "'";
    }

    /** The version that lookups and searches see; where changes are read, the newest. */
    ReadVersion lookedUp() {
        return mode == ScanMode.DEFAULT
                ? new ReadVersion(version, timestampMs)
                : ReadVersion.NEWEST;
    }

    boolean isNewest() {
        return version == null && timestampMs == null;
    }

    <T> CollectionSourceBuilder<T> apply(CollectionSourceBuilder<T> source) {
        source.mode(mode).discoveryInterval(discoveryInterval);
        if (version != null) {
            source.version(version);
        }
        if (timestampMs != null) {
            source.timestamp(timestampMs);
        }
        return source;
    }
}
