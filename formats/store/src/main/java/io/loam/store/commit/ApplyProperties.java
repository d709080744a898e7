package io.loam.store.commit;

import io.loam.codec.CorruptException;
import io.loam.codec.Ulid;

import java.util.Comparator;
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
 * within the staging retention the highest checkpoint stays, with the time of its last commit; but
 * of the last {@value #MOST_INCARNATIONS} only, as every manifest carries them and a collection may
 * be written by a new job every minute. An incarnation that is forgotten and comes back gets its
 * row ids above all that are published, as any other.
 */
final class ApplyProperties {
    static final int MOST_INCARNATIONS = 16;

    private ApplyProperties() {}

    static Map<String, String> of(
            Map<String, String> parent,
            CollectionCommittable committable,
            List<Ulid> rowlessUnits,
            long startedMs,
            long retentionMs) {
        String incarnation = committable.incarnation().toString();
        Map<String, String> properties = new HashMap<>();
        parent.keySet().stream()
                .filter(key -> key.startsWith(LAST_PREFIX) && !key.endsWith(incarnation))
                .filter(key -> number(parent, key) + retentionMs > startedMs)
                .sorted(Comparator.comparingLong((String key) -> -number(parent, key)))
                .limit(MOST_INCARNATIONS - 1)
                .forEach(
                        key -> {
                            String highest = HIGHEST_PREFIX + key.substring(LAST_PREFIX.length());
                            properties.put(key, parent.get(key));
                            properties.put(highest, parent.get(highest));
                        });
        properties.values().removeIf(value -> value == null);
        String highestKey = HIGHEST_PREFIX + incarnation;
        long before = parent.containsKey(highestKey) ? number(parent, highestKey) : 0;
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
