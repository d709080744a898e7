package io.loam.codec.staged;

import io.loam.codec.Ulid;

import java.util.List;

/**
 * What a writer announces before it uploads a unit's first object, so that garbage collection knows
 * the objects as long as the unit may still be published.
 *
 * @param incarnation of the writing sink
 * @param createdAtMs when the unit was begun, metastore clock
 * @param paths every object the unit may consist of, whether it gets written or not
 */
public record UnitDescriptor(Ulid unit, Ulid incarnation, long createdAtMs, List<String> paths) {
    public UnitDescriptor {
        paths = List.copyOf(paths);
    }
}
