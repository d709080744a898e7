package io.loam.store.commit;

import io.loam.codec.CorruptException;
import io.loam.codec.Ulid;

import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;

import static io.loam.codec.manifest.ManifestProperties.CHECKPOINT;
import static io.loam.codec.manifest.ManifestProperties.COMMIT_ID;
import static io.loam.codec.manifest.ManifestProperties.HIGHEST_PREFIX;
import static io.loam.codec.manifest.ManifestProperties.INCARNATION;
import static io.loam.codec.manifest.ManifestProperties.JOB;
import static io.loam.codec.manifest.ManifestProperties.LAST_PREFIX;
import static io.loam.codec.manifest.ManifestProperties.MODE;
import static io.loam.codec.manifest.ManifestProperties.ROWLESS_UNITS;
import static io.loam.codec.manifest.ManifestProperties.WRITER;
import static io.loam.codec.manifest.ManifestProperties.number;

/**
 * What an apply commit leaves in the manifest's properties. Of every incarnation that committed
 * within the staging retention the highest checkpoint stays, with the time of its last commit.
 */
final class ApplyProperties {
    private ApplyProperties() {}

    static Map<String, String> of(
            Map<String, String> parent,
            CollectionCommittable committable,
            List<Ulid> rowlessUnits,
            long startedMs,
            long retentionMs) {
        Map<String, String> properties = new HashMap<>();
        parent.forEach(
                (key, value) -> {
                    if (key.startsWith(LAST_PREFIX)
                            && number(parent, key) + retentionMs > startedMs) {
                        String highest = HIGHEST_PREFIX + key.substring(LAST_PREFIX.length());
                        properties.put(key, value);
                        properties.put(highest, parent.get(highest));
                    }
                });
        properties.values().removeIf(value -> value == null);
        String incarnation = committable.incarnation().toString();
        String highestKey = HIGHEST_PREFIX + incarnation;
        long before = properties.containsKey(highestKey) ? number(properties, highestKey) : 0;
        properties.put(highestKey, Long.toString(Math.max(before, committable.checkpoint())));
        properties.put(LAST_PREFIX + incarnation, Long.toString(startedMs));
        properties.put(COMMIT_ID, committable.commitId());
        properties.put(INCARNATION, incarnation);
        properties.put(CHECKPOINT, Long.toString(committable.checkpoint()));
        properties.put(WRITER, committable.writer());
        properties.put(JOB, committable.job());
        if (!rowlessUnits.isEmpty()) {
            properties.put(
                    ROWLESS_UNITS,
                    rowlessUnits.stream().map(Ulid::toString).collect(Collectors.joining(",")));
        }
        properties.put(MODE, committable.mode().name().toLowerCase(Locale.ROOT));
        return properties;
    }

    /** The mode a collection's commits are bound to, if it has one. */
    static Optional<CommitMode> mode(Map<String, String> properties) {
        return Optional.ofNullable(properties.get(MODE))
                .map(
                        text -> {
                            try {
                                return CommitMode.valueOf(text.toUpperCase(Locale.ROOT));
                            } catch (IllegalArgumentException e) {
                                throw new CorruptException(
                                        "manifest property "
                                                + MODE
                                                + " is \""
                                                + text
                                                + "\", not stream or direct",
                                        e);
                            }
                        });
    }

    /** Commit id of the last apply commit; empty for none. */
    static String lastCommit(Map<String, String> properties) {
        return properties.getOrDefault(COMMIT_ID, "");
    }
}
